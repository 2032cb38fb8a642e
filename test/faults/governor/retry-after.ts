const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A Retry-After header, and when the pause that it asks for is over, in milliseconds since the epoch. */
export interface Pause {
  header: string;
  until: number;
}

/** From now (milliseconds since the epoch) and a number of seconds. */
type Form = (now: number, seconds: number) => Pause;

/** A form that writes a time, which has whole seconds: rounded up, as an origin must. */
const dated =
  (write: (time: Date) => string): Form =>
  (now, seconds) => {
    const until = Math.ceil((now + seconds * 1000) / 1000) * 1000;
    return { header: write(new Date(until)), until };
  };

const two = (number: number): string => String(number).padStart(2, "0");
const clockOf = (time: Date): string => time.toISOString().slice(11, 19);
const dayOf = (time: Date): string => days[time.getUTCDay()] as string;
const monthOf = (time: Date): string => months[time.getUTCMonth()] as string;

/** Every form of Retry-After that RFC 9110 allows or that origins write, by its name. */
export const retryAfterForms: Record<string, Form> = {
  seconds: (now, seconds) => ({ header: String(seconds), until: now + seconds * 1000 }),
  "seconds with a fraction": (now, seconds) => ({
    header: `${seconds}.5`,
    until: now + seconds * 1000 + 500,
  }),
  "seconds with spaces": (now, seconds) => ({
    header: ` ${seconds} `,
    until: now + seconds * 1000,
  }),
  "IMF-fixdate": dated((time) => time.toUTCString()),
  "RFC 850": dated(
    (time) =>
      `${dayOf(time)}, ${two(time.getUTCDate())}-${monthOf(time)}-${two(time.getUTCFullYear() % 100)} ${clockOf(time)} GMT`,
  ),
  asctime: dated(
    (time) =>
      `${dayOf(time).slice(0, 3)} ${monthOf(time)} ${String(time.getUTCDate()).padStart(2)} ${clockOf(time)} ${time.getUTCFullYear()}`,
  ),
  "ISO 8601": dated((time) => time.toISOString()),
};
