document.getElementById("unfold")?.addEventListener("click", e => {
  const all = [...document.querySelectorAll("table.rows details")];
  const open = all.some(d => !d.open);
  for (const d of all) d.open = open;
  e.target.textContent = open ? "Fold all" : "Unfold all";
});
document.getElementById("once")?.addEventListener("change", e => document.body.classList.toggle("with-once", e.target.checked));
