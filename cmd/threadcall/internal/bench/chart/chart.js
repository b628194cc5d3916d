// One unit is shown at a time.
const units = document.querySelectorAll("button[data-unit]");
for (const button of units) {
  button.addEventListener("click", () => {
    for (const b of units) b.setAttribute("aria-pressed", b === button);
    for (const s of document.querySelectorAll("section[data-unit]")) s.hidden = s.dataset.unit !== button.dataset.unit;
  });
}

// Dots stand in the lanes of their versions, or in the order of rounds.
const byRound = document.getElementById("byround");
byRound?.addEventListener("click", () => {
  const on = byRound.getAttribute("aria-pressed") !== "true";
  byRound.setAttribute("aria-pressed", on);
  for (const dot of document.querySelectorAll(".dot")) dot.setAttribute("cy", on ? dot.dataset.round : dot.dataset.lane);
  for (const strip of document.querySelectorAll("svg.strip")) {
    strip.classList.toggle("rounds", on);
    for (const median of strip.querySelectorAll(".median")) {
      median.dataset.y1 ??= median.getAttribute("y1");
      median.dataset.y2 ??= median.getAttribute("y2");
      const bottom = strip.viewBox.baseVal.height - 20;
      median.setAttribute("y1", on ? 0 : median.dataset.y1);
      median.setAttribute("y2", on ? bottom : median.dataset.y2);
    }
  }
});

// A dot says what it is when the pointer comes; as text in the page, it would be found by the search.
document.addEventListener("pointerover", e => {
  const tip = e.target.dataset?.tip;
  if (tip && !e.target.firstChild) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = tip;
    e.target.append(title);
  }
});
