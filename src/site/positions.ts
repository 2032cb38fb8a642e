import { anchors, sitePaths } from "../routes/site.ts";
import type { Position } from "./attachments.ts";
import type { Link } from "./pictures.ts";
import type { KeyParts } from "./site.ts";
import type * as views from "./views.ts";

/** The ids of the images before and after a position; undefined at the ends of the gallery. */
function besides({ members, at }: Position) {
  return { previous: members[at - 1], next: members[at + 1] };
}

/** Paths of the images before and after a position. */
export function pathsBesides(position: Position) {
  const { previous, next } = besides(position);
  const pathOf = (id: string | undefined) => (id === undefined ? undefined : sitePaths.image(id));
  return { previous: pathOf(previous), next: pathOf(next) };
}

/** Key of everything that `positionView` shows. */
export function positionKey(position: Position): KeyParts {
  const { gallery, members, at } = position;
  const { previous, next } = besides(position);
  return [gallery.id, gallery.title, gallery.path, at, members.length, previous, next];
}

/** An image's position in a gallery. The links stay in that gallery: on the next page its position comes first, too. */
export function positionView(
  image: { id: string },
  position: Position,
  link: Link,
): views.Position {
  const { gallery, members, at } = position;
  const anchor = anchors.position(gallery.id);
  const { previous, next } = pathsBesides(position);
  const hrefOf = (path: string | undefined) =>
    path === undefined ? null : `${link(path)}#${anchor}`;
  return {
    anchor,
    title: gallery.title,
    href: `${link(gallery.path)}#${anchors.tile(image.id)}`,
    number: at + 1,
    total: members.length,
    previous: hrefOf(previous),
    next: hrefOf(next),
  };
}
