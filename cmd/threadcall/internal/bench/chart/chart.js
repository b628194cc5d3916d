// One unit is shown at a time.
const units = document.querySelectorAll("button[data-unit]");
for (const button of units) {
  button.addEventListener("click", () => {
    for (const b of units) b.setAttribute("aria-pressed", b === button);
    for (const s of document.querySelectorAll("section[data-unit]")) s.hidden = s.dataset.unit !== button.dataset.unit;
  });
}

// A dot gets its title with the pointer; as text in the page, the search would find it.
document.addEventListener("pointerover", e => {
  const tip = e.target.dataset?.tip;
  if (tip && !e.target.firstChild) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = tip;
    e.target.append(title);
  }
});
