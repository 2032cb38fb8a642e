// Adds the date of the snapshot to a citation, and copies it. Everything else works without this script.
(() => {
  const details = document.querySelector("details.cite");
  const citation = details.querySelector(".citation");
  const button = details.querySelector("button");
  const { archived, language, snapshot } = citation.dataset;

  globalThis.stillpressSnapshot = (day) => {
    const dates = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
    const date = dates.format(new Date(`${day}T00:00:00Z`));
    citation.append(` (${archived.replace("{date}", date)})`);
  };

  details.addEventListener(
    "toggle",
    () => {
      const script = document.createElement("script");
      script.src = snapshot;
      document.head.append(script);
    },
    { once: true },
  );

  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(citation.textContent.trim());
    button.textContent = button.dataset.copied;
  });
})();
