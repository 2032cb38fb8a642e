import type { Kind } from "./row.ts";

const jpeg = "image/jpeg";
const boxes = "404 for other boxes";
const untyped = "it does not tell the types of files";
const smallThumbs = "its thumbnails are smaller";

/** Rows of images, their sizes, and files. wide is 4000x3000, tall 900x1600, small 200x150, all striped. */
export const fileKinds: Kind[] = [
  {
    kind: "Web version and thumbnails",
    rows: [
      {
        says: "Web-ready image (`links.web`)",
        ask: "/images/{wide}.jpg",
        type: jpeg,
        size: "1600x1200",
        across: [533, 1067],
        on: {
          strict: { size: "900x675", across: [300, 600], why: "its web version is 900 wide" },
        },
      },
      {
        says: "Square thumbnail",
        ask: "/images/{wide}.jpg?thumb=1",
        type: jpeg,
        size: "300x300",
        across: [83, 217],
        on: { strict: { size: "160x160", across: [44, 116], why: smallThumbs } },
      },
      {
        says: "Portrait (p) or landscape (l) thumbnail",
        ask: "/images/{wide}.jpg?orientation=p&thumb=1",
        size: "300x400",
        across: [61, 239],
        on: { strict: { size: "150x200", across: [31, 119], why: smallThumbs } },
      },
      {
        says: "Portrait (p) or landscape (l) thumbnail",
        ask: "/images/{wide}.jpg?orientation=l&thumb=1",
        size: "400x300",
        across: [133, 267],
        on: { strict: { size: "240x150", across: [80, 160], why: smallThumbs } },
      },
      {
        says: "`p` gives portrait, `l` gives landscape, any other value gives square.",
        ask: "/images/{wide}.jpg?thumb=p",
        size: "300x400",
        across: [61, 239],
        on: { strict: { size: "150x200", across: [31, 119], why: smallThumbs } },
      },
      {
        says: "`p` gives portrait, `l` gives landscape, any other value gives square.",
        ask: "/images/{wide}.jpg?thumb=l",
        size: "400x300",
        on: { strict: { size: "240x150", why: smallThumbs } },
      },
      {
        says: "`p` gives portrait, `l` gives landscape, any other value gives square.",
        ask: "/images/{tall}.jpg?thumb=yes",
        size: "300x300",
        down: [61, 239],
        on: { strict: { size: "160x160", down: [33, 127], why: smallThumbs } },
      },
      {
        says: "Signed URLs `square`, `portrait`, `landscape`",
        ask: "/images/{wide}",
        links: {
          "data.links.thumbnail.square": "/images/{wide}.jpg?thumb=1",
          "data.links.thumbnail.portrait": "/images/{wide}.jpg?orientation=p&thumb=1",
          "data.links.thumbnail.landscape": "/images/{wide}.jpg?orientation=l&thumb=1",
          "data.links.web": "/images/{wide}.jpg",
          "data.links.download": "/images/{wide}/download",
        },
      },
      {
        says: "Signed URL of a web-ready version",
        ask: "/images/{logo}",
        follow: ["data.links.web"],
        type: jpeg,
        size: "500x500",
      },
      {
        says: "`width`, `height`: integers, pixels, of the original",
        ask: "/images/{turned}.jpg",
        size: "600x800",
        down: [267, 533],
      },
      {
        says: "All endpoints use GET.",
        ask: "/images/{wide}.jpg",
        method: "HEAD",
        type: jpeg,
      },
    ],
  },
  {
    kind: "Configured sizes",
    rows: [
      {
        says: "width: Scale to this width",
        ask: "/images/{wide}.jpg?width=640",
        type: jpeg,
        size: "640x480",
        across: [213, 427],
      },
      {
        says: "height: Scale to this height",
        ask: "/images/{wide}.jpg?height=480",
        size: "640x480",
      },
      {
        says: "Scale and crop to that size; the crop is centered",
        ask: "/images/{wide}.jpg?width=600&height=400",
        size: "600x400",
        across: [200, 400],
      },
      {
        says: "Scale and crop to that size; the crop is centered",
        ask: "/images/{tall}.jpg?width=600&height=400",
        size: "600x400",
        down: [22, 378],
      },
      {
        says: "Scale and crop to that size; the crop is centered",
        ask: "/images/{wide}.jpg?height=400&width=600",
        size: "600x400",
      },
      {
        says: "scale: Percentage of the original size",
        ask: "/images/{wide}.jpg?scale=50",
        size: "2000x1500",
        across: [667, 1333],
      },
    ],
  },
  {
    kind: "Any other size",
    rows: [
      {
        says: "To scale proportionately, use `width` alone, `height` alone, or `scale` alone.",
        ask: "/images/{wide}.jpg?width=500",
        size: "500x375",
        on: {
          files: { size: "640x480", why: "the nearest larger one", word: "nearest larger" },
        },
      },
      {
        says: "To scale proportionately, use `width` alone, `height` alone, or `scale` alone.",
        ask: "/images/{tall}.jpg?height=400",
        size: "225x400",
        on: {
          files: { size: "270x480", why: "the nearest larger one", word: "nearest larger" },
        },
      },
      {
        says: "scale: Percentage of the original size",
        ask: "/images/{wide}.jpg?scale=25",
        size: "1000x750",
        on: {
          files: { size: "2000x1500", why: "the nearest larger one", word: "nearest larger" },
        },
      },
      {
        says: "width: Scale to this width",
        ask: "/images/{wide}.jpg?width=2000",
        size: "2000x1500",
        on: {
          files: { size: "4000x3000", why: "the nearest larger one", word: "nearest larger" },
        },
      },
      {
        says: "Scale and crop to that size; the crop is centered",
        ask: "/images/{wide}.jpg?width=300&height=200",
        size: "300x200",
        across: [100, 200],
        on: {
          files: { size: "600x400", why: "the nearest larger box", word: "nearest larger" },
        },
      },
      {
        says: "Scale and crop to that size; the crop is centered",
        ask: "/images/{wide}.jpg?width=500&height=300",
        size: "500x300",
        across: [167, 333],
        on: { files: { status: 404, why: "no file has this shape", word: boxes } },
      },
      {
        says: "To scale proportionately, use `width` alone, `height` alone, or `scale` alone. [Not shown: both.]",
        ask: "/images/{wide}.jpg?scale=50&width=640",
        size: "640x480",
      },
    ],
  },
  {
    kind: "Larger than the original",
    rows: [
      {
        says: "Scaling never exceeds the original dimensions. A larger request returns the original size",
        ask: "/images/{wide}.jpg?width=5000",
        type: jpeg,
        size: "4000x3000",
        across: [1333, 2667],
      },
      {
        says: "Scaling never exceeds the original dimensions. A larger request returns the original size",
        ask: "/images/{small}.jpg?width=640",
        size: "200x150",
      },
      {
        says: "Scaling never exceeds the original dimensions. A larger request returns the original size",
        ask: "/images/{small}.jpg?width=600&height=400",
        size: "200x150",
      },
      {
        says: "Scaling never exceeds the original dimensions. A larger request returns the original size",
        ask: "/images/{wide}.jpg?width=8000&height=6000",
        size: "4000x3000",
        on: { files: { status: 404, why: "no file tells what the box would be", word: boxes } },
      },
      {
        says: "`scale` of 200 returns 100%",
        ask: "/images/{wide}.jpg?scale=200",
        size: "4000x3000",
      },
      {
        says: "scale: Percentage of the original size",
        ask: "/images/{wide}.jpg?scale=100",
        size: "4000x3000",
      },
      {
        says: "Scaling never exceeds the original dimensions.",
        ask: "/images/{small}.jpg",
        size: "200x150",
      },
    ],
  },
  {
    kind: "Originals",
    rows: [
      {
        says: "Original file (`links.download`)",
        ask: "/images/{wide}/download",
        type: jpeg,
        file: "wide.jpg",
        on: { strict: { file: "wide.jpg", why: untyped } },
      },
      {
        says: "Original file (`links.download`)",
        ask: "/images/{logo}/download",
        type: "image/png",
        file: "logo.png",
        on: { strict: { file: "logo.png", why: untyped } },
      },
      {
        says: "Original file (`links.download`)",
        ask: "/images/{turned}/download",
        file: "turned.jpg",
      },
      {
        says: "Original file (`links.download`) [of a picture that cannot be decoded, too]",
        ask: "/images/{torn}/download",
        type: jpeg,
        file: "torn.jpg",
        on: { strict: { file: "torn.jpg", why: untyped } },
      },
      {
        says: "Web-ready image (`links.web`) [of a picture that cannot be decoded: not shown]",
        ask: "/images/{torn}.jpg",
        status: "none",
      },
      {
        says: "links.download: Signed URL to download the original",
        ask: "/images/{small}",
        follow: ["data.links.download"],
        file: "small.jpg",
      },
    ],
  },
  {
    kind: "Files of videos, documents, audio",
    rows: [
      {
        says: "The attachment lists refer to them; their paths and item fields: not shown.",
        ask: "/articles/{dogwood}/videos",
        follow: ["data.0.links.download", "data.0.url"],
        type: "video/webm",
        file: "film.webm",
        on: { strict: { file: "film.webm", why: untyped } },
      },
      {
        says: "The attachment lists refer to them; their paths and item fields: not shown.",
        ask: "/articles/{dogwood}/documents",
        follow: ["data.0.links.download", "data.0.download_url"],
        file: "paper.pdf",
      },
      {
        says: "The attachment lists refer to them; their paths and item fields: not shown.",
        ask: "/articles/{dogwood}/audio",
        follow: ["data.0.links.download", "data.0.file"],
        file: "sound.wav",
      },
      {
        says: "Clients request them as given.",
        ask: "/videos/{film}/download",
        type: "video/webm",
        file: "film.webm",
        on: { strict: { file: "film.webm", why: untyped } },
      },
      {
        says: "Clients request them as given.",
        ask: "/documents/{paper}/download",
        type: "application/pdf",
        file: "paper.pdf",
        on: { strict: { file: "paper.pdf", why: untyped } },
      },
      {
        says: "Clients request them as given.",
        ask: "/audio/{sound}/download",
        file: "sound.wav",
      },
      {
        says: "Standalone indexes of videos, documents and audio files",
        ask: "/videos",
        names: "film",
        on: { strict: { status: "none", why: "it has no such index" } },
      },
    ],
  },
  {
    kind: "Signed links",
    rows: [
      {
        says: "Changing `width`, `height`, `scale` or `thumb` does not invalidate the signature.",
        ask: "/images/{wide}.jpg?width=320",
        size: "320x240",
      },
      {
        says: "Image objects carry signed URLs of the following shapes.",
        ask: "/images/{small}",
        text: "signature=",
        on: {
          archive: { lacks: "signature=", why: "links into an archive last", word: "never expire" },
        },
      },
      {
        says: "Signed image URLs are themselves authorised by the `signature` and `expires` parameters.",
        ask: "/images/{small}.jpg",
        token: false,
        size: "200x150",
      },
      {
        says: "An expired signed image URL is requested: HTTP 403",
        ask: "/images/{small}.jpg?expires=1000000000&signature=0a1b2c3d",
        status: 403,
        on: {
          archive: { size: "200x150", why: "links into an archive last", word: "never expire" },
        },
      },
    ],
  },
];
