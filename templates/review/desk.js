// The filters of the desk, and what was seen there. Without this script, every row is shown.
(() => {
  function addTicks() {
    for (const row of document.querySelectorAll("[data-seen]")) {
      const label = document.createElement("label");
      const box = Object.assign(document.createElement("input"), { type: "checkbox" });
      label.className = "source note";
      label.append(box, " Seen");
      row.append(label);
      const key = `seen ${row.dataset.seen}`;
      box.checked = localStorage.getItem(key) !== null;
      box.addEventListener("change", () => {
        if (box.checked) localStorage.setItem(key, "");
        else localStorage.removeItem(key);
      });
    }
  }
  try {
    addTicks();
  } catch {
    // A browser that keeps nothing for pages of a folder.
  }

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
