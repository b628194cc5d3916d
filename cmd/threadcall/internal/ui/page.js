// Tables of class sortable: a click on a heading sorts by its column, a second one the other way round.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.tabIndex = 0;
    const value = row => {
      const cell = row.cells[column];
      const text = cell.dataset.value ?? cell.textContent.trim();
      return text !== "" && isFinite(text) ? Number(text) : text;
    };
    const sort = () => {
      const numeric = heading.classList.contains("num");
      const old = heading.getAttribute("aria-sort");
      const up = old ? old === "descending" : !numeric; // numbers begin with the largest
      for (const h of headings) h.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
      for (const body of table.tBodies) {
        const rows = [...body.rows].map(row => [value(row), row]);
        rows.sort((a, b) => (up ? 1 : -1) * compare(a[0], b[0]));
        body.append(...rows.map(r => r[1]));
      }
    };
    heading.addEventListener("click", sort);
    heading.addEventListener("keydown", e => { if (e.key === "Enter") sort(); });
  });
}

// Inputs with data-filter hide what does not have all their words in its text.
for (const input of document.querySelectorAll("input[data-filter]")) {
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const e of document.querySelectorAll(input.dataset.filter)) {
      const text = e.textContent.toLowerCase();
      e.hidden = !words.every(w => text.includes(w));
    }
  });
}
