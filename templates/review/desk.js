// The filters of the desk. Without this script, every row is shown.
(() => {
  const form = document.querySelector("[data-filters]");
  if (form === null) return;
  // "item" would be a method of the list.
  const { text, kind, of } = form.elements;
  const status = form.querySelector("[role=status]");
  const groups = Array.from(form.parentElement.querySelectorAll("[data-kind]"), (group) => ({
    group,
    rows: Array.from(group.querySelectorAll("[data-row]"), (row) => ({
      row,
      words: row.textContent.toLowerCase(),
    })),
  }));

  function filter() {
    const wanted = text.value.toLowerCase().trim();
    let shown = 0;
    let all = 0;
    for (const { group, rows } of groups) {
      const isKind = kind.value === "" || group.dataset.kind === kind.value;
      let left = 0;
      for (const { row, words } of rows) {
        const isItem = of.value === "" || row.dataset.item === of.value;
        row.hidden = !(isKind && isItem && words.includes(wanted));
        if (!row.hidden) left++;
      }
      group.hidden = left === 0;
      shown += left;
      all += rows.length;
    }
    status.textContent = shown === all ? "" : `${shown} of ${all} rows`;
  }

  /** A link to a kind shows all of it. */
  function follow() {
    form.reset();
    filter();
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", follow);
  filter();
})();
