const perPage = 20;

/** The pages of lists that each take an article as often as it has a value. */
function pagesBy(articles, name, valuesOf) {
  const lists = new Map();
  for (const article of articles) {
    for (const value of valuesOf(article.data))
      lists.set(value, [...(lists.get(value) ?? []), article]);
  }
  return [...lists].flatMap(([value, items]) => {
    const last = Math.ceil(items.length / perPage);
    return Array.from({ length: last }, (_, at) => ({
      title: value,
      url: at === 0 ? `/${name}/${value}/` : `/${name}/${value}/page/${at + 1}/`,
      number: at + 1,
      last,
      articles: items.slice(at * perPage, (at + 1) * perPage),
    }));
  });
}

export default function configure(config) {
  const articlesOf = (api) => api.getFilteredByGlob("articles/*.md").reverse();
  config.addCollection("articles", articlesOf);
  config.addCollection("lists", (api) => {
    const articles = articlesOf(api);
    return [
      ...pagesBy(articles, "all", () => ["articles"]),
      ...pagesBy(articles, "categories", ({ section }) => [section]),
      ...pagesBy(articles, "tags", ({ subjects }) => subjects),
    ];
  });
  config.addFilter("day", (date) => date.toISOString().slice(0, 10));
  return { markdownTemplateEngine: false, htmlTemplateEngine: "njk" };
}
