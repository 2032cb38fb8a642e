/** Names of environment variables whose values are nobody's business. */
const secretName = /token|secret|passw|credential|api_?key/i;
/** Shorter values are no secrets but words, and would be found by chance. */
const minLength = 8;

/**
 * A text that may be printed: values of environment variables that are secrets by their names stand there as these
 * names. A message about the configuration repeats what stands in it, which may be a secret in the wrong place.
 *
 * masked('got "s3cr3t-t0k3n"', { STILLPRESS_TOKEN: "s3cr3t-t0k3n" }) → 'got "[STILLPRESS_TOKEN]"'
 */
export function masked(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  let clean = text;
  for (const [name, value = ""] of Object.entries(environment)) {
    if (value.length < minLength || !secretName.test(name)) continue;
    for (const spelling of new Set([value, encodeURIComponent(value)])) {
      clean = clean.replaceAll(spelling, `[${name}]`);
    }
  }
  return clean;
}
