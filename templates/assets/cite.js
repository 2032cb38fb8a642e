// Says when a page was archived, also in its citation, and copies that. Everything else works without this script.
(() => {
  const details = document.querySelector("details.cite");
  const citation = details.querySelector(".citation");
  const button = details.querySelector("button");
  const { archived, language, snapshot } = citation.dataset;

  globalThis.stillpressSnapshot = (day) => {
    const dates = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
    const date = dates.format(new Date(`${day}T00:00:00Z`));
    const line = document.querySelector(".archived");
    line.textContent = line.dataset.text.replace("{date}", date);
    citation.append(` (${archived.replace("{date}", date)})`);
  };

  const script = document.createElement("script");
  script.src = snapshot;
  document.head.append(script);

  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(citation.textContent.trim());
    button.textContent = button.dataset.copied;
  });
})();
