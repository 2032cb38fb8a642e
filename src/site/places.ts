import { anchors, sitePaths } from "../routes/site.ts";
import type { Place } from "./attachments.ts";
import type { Link } from "./pictures.ts";
import type { KeyParts } from "./site.ts";

/** The ids of the images before and after a place; undefined at the ends of the gallery. */
function besides({ members, at }: Place) {
  return { previous: members[at - 1], next: members[at + 1] };
}

/** Paths of the images before and after a place. */
export function pathsBesides(place: Place) {
  const { previous, next } = besides(place);
  const pathOf = (id: string | undefined) => (id === undefined ? undefined : sitePaths.image(id));
  return { previous: pathOf(previous), next: pathOf(next) };
}

/** Key of everything that `placeView` shows. */
export function placeKey(place: Place): KeyParts {
  const { gallery, members, at } = place;
  const { previous, next } = besides(place);
  return [gallery.id, gallery.title, gallery.path, at, members.length, previous, next];
}

/** An image's place in a gallery. The links stay in that gallery: on the next page its place comes first, too. */
export function placeView(image: { id: string }, place: Place, link: Link) {
  const { gallery, members, at } = place;
  const anchor = anchors.place(gallery.id);
  const { previous, next } = pathsBesides(place);
  const hrefOf = (path: string | undefined) =>
    path === undefined ? null : `${link(path)}#${anchor}`;
  return {
    anchor,
    title: gallery.title,
    /** The image's tile in the gallery. */
    href: `${link(gallery.path)}#${anchors.tile(image.id)}`,
    /** Counted from 1. */
    position: at + 1,
    total: members.length,
    previous: hrefOf(previous),
    next: hrefOf(next),
  };
}
