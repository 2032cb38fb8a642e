import { anchors, sitePaths } from "../routes/site.ts";
import type { Position } from "./attachments.ts";
import type { Link } from "./pictures.ts";
import type { KeyParts } from "./site.ts";
import type * as views from "./views.ts";

/** Paths of the images before and after a position; undefined at the ends of the gallery. */
export function pathsBesides({ members, at }: Position) {
  const pathOf = (id: string | undefined) => (id === undefined ? undefined : sitePaths.image(id));
  return { previous: pathOf(members[at - 1]), next: pathOf(members[at + 1]) };
}

/** Key of everything that `positionView` shows. */
export function positionKey(position: Position): KeyParts {
  const { gallery, members, at } = position;
  const { previous, next } = pathsBesides(position);
  return [gallery.id, gallery.title, gallery.path, at, members.length, previous, next];
}

/** An image's position in a gallery. The links stay in that gallery: on the next page its position comes first, too. */
export function positionView(imageId: string, position: Position, link: Link): views.Position {
  const { gallery, members, at } = position;
  const anchor = anchors.position(gallery.id);
  const { previous, next } = pathsBesides(position);
  const hrefOf = (path: string | undefined) =>
    path === undefined ? null : `${link(path)}#${anchor}`;
  return {
    anchor,
    title: gallery.title,
    href: `${link(gallery.path)}#${anchors.tile(imageId)}`,
    number: at + 1,
    total: members.length,
    previous: hrefOf(previous),
    next: hrefOf(next),
  };
}
