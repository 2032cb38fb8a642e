import type { PersonalityName } from "./row.ts";

/** How rows write the paths of lists and objects that the document does not show. */
const listPaths = {
  articleImages: "/articles/{id}/images",
  articleVideos: "/articles/{id}/videos",
  articleDocuments: "/articles/{id}/documents",
  articleAudio: "/articles/{id}/audio",
  galleryImages: "/galleries/{id}/images",
  galleryVideos: "/galleries/{id}/videos",
  galleryAudio: "/galleries/{id}/audio",
  image: "/images/{id}",
  videos: "/videos",
  documents: "/documents",
  audio: "/audio",
};

/** And those of the files of videos, documents and audio, which only the origin's links tell. */
const filePaths = {
  videos: "/videos/{id}/download",
  documents: "/documents/{id}/download",
  audio: "/audio/{id}/download",
};

type Paths<T> = Record<keyof T, string | null>;

/** What somebody knows who sets up an archive of an origin. */
export interface Personality {
  /** Path of the mirror: the origin's base path, or /api where that is empty. */
  root: string;
  /** null = there is no such endpoint. */
  paths: Paths<typeof listPaths>;
  filePaths: Paths<typeof filePaths>;
  /** Further settings. */
  config: {
    origin?: Record<string, unknown>;
    media?: Record<string, unknown>;
    mirror: { links: "file" | "api" };
    site: { url: string | null };
  };
}

export const personalities: Record<PersonalityName, Personality> = {
  plain: {
    root: "/api/v1",
    paths: listPaths,
    filePaths,
    config: { mirror: { links: "file" }, site: { url: null } },
  },
  odd: {
    root: "/v2/content",
    paths: {
      articleImages: "/articles/{id}/media/pictures",
      articleVideos: "/articles/{id}/media/films",
      articleDocuments: "/articles/{id}/media/papers",
      articleAudio: "/articles/{id}/media/sounds",
      galleryImages: "/galleries/{id}/contents/pictures",
      galleryVideos: "/galleries/{id}/contents/films",
      galleryAudio: "/galleries/{id}/contents/sounds",
      image: "/image-records/{id}",
      videos: "/media/films",
      documents: null,
      audio: null,
    },
    filePaths,
    config: {
      origin: { timezone: "Pacific/Auckland" },
      mirror: { links: "api" },
      site: { url: "https://archive.example.org" },
    },
  },
  strict: {
    root: "/api",
    paths: {
      articleImages: "/attachments/articles/{id}/images",
      articleVideos: "/attachments/articles/{id}/videos",
      articleDocuments: "/attachments/articles/{id}/documents",
      articleAudio: "/attachments/articles/{id}/audio",
      galleryImages: "/attachments/galleries/{id}/images",
      galleryVideos: "/attachments/galleries/{id}/videos",
      galleryAudio: "/attachments/galleries/{id}/audio",
      image: "/images/{id}",
      videos: null,
      documents: "/papers",
      audio: null,
    },
    filePaths: {
      videos: "/assets/{id}/film.webm",
      documents: "/assets/{id}/paper.pdf",
      audio: "/assets/{id}/sound.wav",
    },
    config: {
      origin: { timezone: "America/St_Johns" },
      media: {
        web: { width: 900 },
        thumbs: { square: [160, 160], portrait: [150, 200], landscape: [240, 150] },
      },
      mirror: { links: "api" },
      site: { url: null },
    },
  },
};

/** A path of a row as an origin spells it. */
export function spelled(path: string, personality: Personality): string {
  const spellings = [
    [listPaths, personality.paths],
    [filePaths, personality.filePaths],
  ] as const;
  for (const [shown, own] of spellings) {
    for (const [name, template] of Object.entries(shown)) {
      const pattern = new RegExp(`^${template.replace("{id}", "([^/?.]+)")}(?=\\?|$)`);
      const [whole, id = ""] = pattern.exec(path) ?? [];
      const its = (own as Record<string, string | null>)[name];
      if (whole !== undefined && its) return its.replace("{id}", id) + path.slice(whole.length);
    }
  }
  return path;
}
