import type { Element } from "hast";
import { isTracker, labelOf, linkOut, note, ownImage, replaced, type State } from "./body-media.ts";
import { embedOf } from "./embeds.ts";
import type { Target } from "./links.ts";
import { asText, element, elementsIn, type Nodes, text } from "./nodes.ts";
import { stillPath } from "./posters.ts";
import { bodySchema } from "./schema.ts";

/** An embedded document becomes a link, with its fallback. */
export function rewriteEmbed(node: Element, inner: Nodes, state: State): Nodes {
  const { title } = node.properties;
  const target = embeddedTarget(node, state);
  const name = typeof title === "string" ? title.trim() : "";
  if (target.type === "image") return ownImage(element("img", {}), target, name, state);
  if (target.type === "nothing" || target.type === "unavailable" || target.type === "fragment") {
    if (hasContent(inner) || isPost(node)) return inner;
    if (isTracker(node.properties)) return [];
    return replaced(node.tagName, [note(name || state.formats.t("embed"))], state);
  }
  if (isTracker(node.properties)) return [];
  if (target.type !== "outside") {
    return [embedded(target, name || state.formats.t("embed"), state), ...inner];
  }
  const { url, label } = embedOf(target.url, state.formats);
  const at = name === "" || name === label ? "" : label;
  return [embedded({ type: "outside", url }, name || label, state, at), ...inner];
}

/** A post that a script would fetch: the text that stands for it, and a link to it unless the text has one. */
export function rewritePost(node: Element, inner: Nodes, state: State): Nodes {
  const target = embeddedTarget(node, state);
  const known = elementsIn(node).some(({ properties: { href } }) => {
    const linked = typeof href === "string" ? state.lookup(href) : undefined;
    return linked?.type === "outside" && target.type === "outside" && linked.url === target.url;
  });
  return known ? inner : [...rewriteEmbed(node, [], state), ...inner];
}

/** The document that an element embeds, or that a script would put there; for a post, the address of its script. */
function embeddedTarget({ properties }: Element, state: State): Target {
  const { dataVideoid: video, dataInstgrmPermalink, dataHref, data, cite, src } = properties;
  const lazy = Object.keys(properties).filter((name) => /^data\w*src$/i.test(name));
  const urls = [
    src,
    ...lazy.map((name) => properties[name]),
    data,
    dataInstgrmPermalink,
    dataHref,
    cite,
  ];
  if (/^[\w-]{11}$/.test(String(video))) urls.push(`https://www.youtube.com/watch?v=${video}`);
  for (const url of urls) {
    const target = typeof url === "string" ? state.lookup(url) : undefined;
    if (target !== undefined && target.type !== "nothing") return target;
  }
  return { type: "nothing" };
}

/** Whether some nodes show anything. */
export function hasContent(nodes: Nodes): boolean {
  return nodes.some((node) => {
    if (node.type === "text") return node.value.trim() !== "";
    if (node.type !== "element" || bodySchema.strip?.includes(node.tagName)) return false;
    return /^(?:img|video|audio)$/.test(node.tagName) || hasContent(node.children);
  });
}

/** Whether an element is a place where the script of a social network puts a post. */
export function isPost({ tagName, properties: { className } }: Element): boolean {
  if (tagName !== "blockquote" && tagName !== "div") return false;
  return asText(className ?? "")
    .split(/\s+/)
    .some((name) => postClasses.test(name));
}

const postClasses = /^(?:twitter-(?:tweet|video)|instagram-media|tiktok-embed|fb-(?:post|video))$/;

/** @param inner what browsers show that cannot play */
export function rewritePlayer(node: Element, inner: Nodes, state: State): Nodes {
  const carriers = [node, ...elementsIn(node).filter((one) => one.tagName === "source")];
  const targets = carriers.flatMap(({ properties }) =>
    Object.entries(properties).flatMap(([name, url]) =>
      /src$/i.test(name) && typeof url === "string" ? [state.lookup(url)] : [],
    ),
  );
  const isVideo = node.tagName.endsWith("video");
  const file = targets.find((target) => target.type === "file");
  const { poster } = node.properties;
  const image = typeof poster === "string" ? state.lookup(poster) : undefined;
  if (file === undefined) {
    const remote = targets.find((target) => target.type === "outside");
    const label = labelOf(isVideo ? "video" : "sound", remote ?? { type: "nothing" }, state);
    if (remote !== undefined) return [embedded(remote, label, state)];
    const still = image?.type === "image" ? ownImage(element("img", {}), image, "", state) : [];
    return replaced(
      node.tagName,
      [...still, ...(hasContent(inner) ? inner : [note(label)])],
      state,
    );
  }
  state.found.played.add(file.path);
  const player = { src: state.link(file.path) + file.hash, controls: true, preload: "none" };
  if (!isVideo) return [element("audio", player)];
  const still = image?.type === "image" ? image.path : stillPath(file.entry);
  const { width, height } = { ...node.properties, ...file.entry.original };
  return [
    element("video", {
      ...player,
      poster: still && state.link(still),
      width: Number(width) > 0 ? Number(width) : undefined,
      height: Number(height) > 0 ? Number(height) : undefined,
    }),
  ];
}

/** @param at where it is, if the label does not tell */
function embedded(target: Target, label: string, state: State, at = ""): Element {
  const link = linkOut(target, label, state);
  const more = at === "" ? [] : [text(" "), element("small", {}, [text(at)])];
  return element("span", { className: ["embed"] }, [link, ...more]);
}
