// How the page came out.
(() => ({
  scroll: document.documentElement.scrollWidth,
  font: getComputedStyle(document.body).fontFamily,
  broken: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).length,
}))();
