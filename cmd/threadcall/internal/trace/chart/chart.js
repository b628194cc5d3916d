// The plots over time. All share one view, the part of the time that is shown.
(() => {
  const root = document.getElementById("time"), output = root.querySelector("output");
  const left = 170, right = 8, total = data.duration;
  let view = data.view ?? [0, total], width = 800, cursor = null, chosen = null;

  const el = (name, attributes, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const a in attributes) e.setAttribute(a, attributes[a]);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const x = t => left + (t - view[0]) / (view[1] - view[0]) * (width - left - right);
  const at = px => view[0] + (px - left) / (width - left - right) * (view[1] - view[0]);

  // Numbers with units.
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const time = (ns, step) => {
    const [unit, name] = units.find(u => Math.max(Math.abs(ns), step * 2) >= u[0]) ?? units[3];
    return (ns / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9))) + " " + name;
  };
  const number = (v, unit) => {
    if (unit !== "B") return Number.isInteger(v) ? String(v) : v.toPrecision(3);
    const names = ["B", "KiB", "MiB", "GiB", "TiB"];
    let i = 0;
    for (; Math.abs(v) >= 1024 && i < 4; i++) v /= 1024;
    return (Number.isInteger(v) ? v : v.toPrecision(Math.abs(v) >= 1000 ? 4 : 3)) + " " + names[i];
  };
  // step returns a round distance of at most n lines in a span.
  const step = (span, n, unit) => {
    let base = 1;
    if (unit === "B") while (span / n / base > 512) base *= 1024;
    const raw = Math.max(span / n / base, 1e-9), power = 10 ** Math.floor(Math.log10(raw));
    const s = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw * 0.999) * base;
    return unit === undefined ? s : Math.max(s, 1); // there is no half goroutine
  };
  const lines = (low, high, s) => {
    const out = [];
    for (let i = Math.ceil(low / s - 1e-9); i * s <= high * (1 + 1e-9); i++) out.push(i * s);
    return out;
  };

  // A series as stairs: [from, to, least, most, last].
  const stairs = s => {
    const out = [];
    s.points.forEach(([t, least, most, last], i) => {
      const next = i + 1 < s.points.length ? s.points[i + 1][0] : total;
      const end = Math.min(t + s.step, next);
      out.push([t, end, least, most, last]);
      if (end < next) out.push([end, next, last, last, last]);
    });
    return out;
  };
  const visible = stairs => stairs.filter(s => s[1] >= view[0] && s[0] <= view[1]);
  const find = (stairs, t) => stairs.findLast(s => s[0] <= t);

  const panels = [];
  const panel = (title, height, draw, describe = () => {}) => {
    const heading = document.createElement("h3"), values = document.createElement("span");
    const svg = el("svg", {height, role: "img", "aria-label": title});
    heading.append(title, values);
    root.append(heading, svg);
    panels.push({svg, height, draw, describe, values});
  };

  for (const l of data.lines) {
    const all = l.series.map(stairs);
    const height = l.unit === "B" ? 170 : 90;
    panel(l.title, height, svg => {
      const shown = all.map(visible);
      const high = Math.max(...shown.flat().map(s => s[3]), 0) || 1;
      const y = v => height - 4 - v / high * (height - 12);
      for (const v of lines(0, high, step(high, height / 35, l.unit))) {
        svg.append(el("line", {class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v)}));
        svg.append(el("text", {class: "label", x: left - 6, y: y(v) + 4, "text-anchor": "end"}, number(v, l.unit)));
      }
      shown.forEach((stairs, i) => {
        if (!stairs.length) return;
        const X = t => Math.min(Math.max(x(t), left), width - right).toFixed(1);
        const over = stairs.map(s => `${X(s[0])} ${y(s[3]).toFixed(1)}L${X(s[1])} ${y(s[3]).toFixed(1)}`);
        const under = stairs.toReversed().map(s => `${X(s[1])} ${y(s[2]).toFixed(1)}L${X(s[0])} ${y(s[2]).toFixed(1)}`);
        const last = stairs.map(s => `${X(s[0])} ${y(s[4]).toFixed(1)}L${X(s[1])} ${y(s[4]).toFixed(1)}`);
        svg.append(el("path", {class: "band c" + i, d: "M" + over.concat(under).join("L") + "Z"}));
        svg.append(el("path", {class: "last c" + i, d: "M" + last.join("L")}));
      });
    }, (t, values) => {
      l.series.forEach((s, i) => {
        const at = find(all[i], t), item = document.createElement("span"), key = document.createElement("i");
        key.className = "c" + i;
        item.append(key, s.name + (t === null || !at ? "" : " " + number(at[4], l.unit) +
          (at[2] === at[3] ? "" : ` (${number(at[2], l.unit)} to ${number(at[3], l.unit)})`)));
        values.append(item, " ");
      });
    });
  }

  // Calls overlap, so each has a line of its own; the others do not.
  if (data.lanes.some(l => l.bars.length)) {
    let height = 2;
    const lanes = data.lanes.map(lane => {
      const apart = lane.kind === "call", thick = apart ? 6 : 13, top = height;
      height += (apart ? lane.bars.length * (thick + 1) : thick) + 4;
      return {...lane, apart, thick, top, foot: height - 4};
    });
    panel("Events", height, svg => {
      for (const lane of lanes) {
        svg.append(el("rect", {class: "floor", x: left, width: width - left - right, y: lane.top, height: lane.foot - lane.top}));
        lane.bars.forEach((bar, i) => {
          const y = lane.top + (lane.apart ? i * (lane.thick + 1) : 0);
          let from = bar.t;
          bar.parts.forEach((length, part) => {
            const to = from + length;
            if (length > 0 && to >= view[0] && from <= view[1]) {
              const x0 = Math.max(x(from), left), x1 = Math.min(x(to), width - right);
              const r = el("rect", {class: `${lane.kind} p${part}`, x: x0, width: Math.max(x1 - x0, 1.5), y, height: lane.thick});
              r.append(el("title", {}, bar.what));
              if (bar.to) r.dataset.to = bar.to;
              svg.append(r);
            }
            from = to;
          });
        });
        svg.append(el("text", {class: "label", x: left - 6, y: (lane.top + lane.foot) / 2 + 4, "text-anchor": "end"}, lane.title));
      }
    });
  }

  const rowHeight = 22;
  if (data.rows.length) {
    panel("Threads running Go (blue) or in system calls (orange)", data.rows.length * rowHeight, svg => {
      data.rows.forEach((row, i) => {
        const top = i * rowHeight + 2, height = rowHeight - 4, foot = top + height;
        svg.append(el("rect", {class: "floor", x: left, width: width - left - right, y: top, height}));
        const first = Math.max(0, Math.floor(view[0] / row.step)), last = Math.min(row.running.length, Math.ceil(view[1] / row.step));
        const area = (class_, lower, upper) => {
          let over = "", under = "";
          for (let j = first; j < last; j++) {
            const x0 = Math.max(x(j * row.step), left).toFixed(1), x1 = Math.min(x(Math.min((j + 1) * row.step, total)), width - right).toFixed(1);
            over += `L${x0} ${(foot - upper(j) * height).toFixed(1)}L${x1} ${(foot - upper(j) * height).toFixed(1)}`;
            under = `L${x1} ${(foot - lower(j) * height).toFixed(1)}L${x0} ${(foot - lower(j) * height).toFixed(1)}` + under;
          }
          if (over) svg.append(el("path", {class: class_, d: "M" + (over + under).slice(1) + "Z"}));
        };
        const running = j => row.running[j], both = j => Math.min(1, row.running[j] + (row.syscall[j] ?? 0));
        area("running", () => 0, running);
        area("syscall", running, both);
        const [id, ...rest] = row.title.split(", ");
        svg.append(el("text", {class: "label", x: left - 6, y: top + 13, "text-anchor": "end"}, id));
        if (rest.length) svg.append(el("text", {class: "label name", x: left + 6, y: top + 13}, rest.join(", ")));
      });
    });
  }

  const axis = el("svg", {height: 30, class: "axis", role: "img", "aria-label": "time"});
  root.append(axis);
  const precise = () => 10 ** Math.floor(Math.log10(Math.max((view[1] - view[0]) / 1000, 1)));
  const describe = () => {
    for (const p of panels) {
      p.values.replaceChildren();
      p.describe(cursor?.t ?? null, p.values);
      p.svg.querySelectorAll(".cross, .chosen").forEach(e => e.remove());
      if (chosen) {
        const [a, b] = [Math.min(...chosen), Math.max(...chosen)];
        p.svg.append(el("rect", {class: "chosen", x: a, width: b - a, y: 0, height: p.height}));
      }
      if (cursor) p.svg.append(el("line", {class: "cross", x1: cursor.x, x2: cursor.x, y1: 0, y2: p.height}));
    }
    output.textContent = (cursor ? "at " + time(cursor.t, precise()) + " · " : "") +
      `${time(view[0], precise())} to ${time(view[1], precise())}`;
  };
  const draw = () => {
    width = Math.max(300, root.clientWidth);
    const s = step(view[1] - view[0], Math.max(2, width / 140)), times = lines(view[0], view[1], s);
    for (const p of panels) {
      p.svg.replaceChildren(...times.map(t => el("line", {class: "grid", x1: x(t), x2: x(t), y1: 0, y2: p.height})));
      p.draw(p.svg);
    }
    axis.replaceChildren(...times.map(t => el("text", {x: x(t), y: 18, "text-anchor": "middle"}, time(t, s))));
    root.dataset.from = view[0];
    root.dataset.to = view[1];
    root.dispatchEvent(new Event("view"));
    describe();
  };

  const least = Math.min(total, 100); // nanoseconds
  const show = (from, to) => {
    const span = Math.min(Math.max(to - from, least), total);
    from = Math.min(Math.max(from, 0), total - span);
    view = [from, from + span];
    if (cursor) cursor.t = at(cursor.x);
    draw();
  };
  const zoom = (factor, t = (view[0] + view[1]) / 2) => show(t - (t - view[0]) * factor, t + (view[1] - t) * factor);
  const pan = share => show(view[0] + share * (view[1] - view[0]), view[1] + share * (view[1] - view[0]));
  const actions = {in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), reset: () => show(0, total)};

  for (const b of root.querySelectorAll("button[data-do]")) b.addEventListener("click", () => actions[b.dataset.do]());
  const keys = {"+": "in", "-": "out", "ArrowLeft": "left", "ArrowRight": "right", "0": "reset"};
  root.addEventListener("keydown", e => {
    if (!(e.key in keys) || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    actions[keys[e.key]]();
  });
  root.addEventListener("show", e => show(e.detail.from, e.detail.to));
  const place = e => Math.min(Math.max(e.clientX - root.getBoundingClientRect().left, left), width - right);
  root.addEventListener("pointermove", e => {
    const svg = e.target.closest?.("svg, canvas");
    if (!svg) return;
    cursor = {x: place(e), t: at(place(e))};
    describe();
  });
  root.addEventListener("pointerleave", () => { cursor = null; describe(); });

  let drag = null;
  root.addEventListener("pointerdown", e => {
    if (!e.target.closest("svg, canvas") || e.button > 0 || e.pointerType === "touch") return;
    e.preventDefault();
    root.focus({preventScroll: true});
    drag = {from: place(e), to: e.target.dataset.to};
  });
  addEventListener("pointermove", e => {
    if (!drag) return;
    const px = place(e);
    if (Math.abs(px - drag.from) > 3) {
      chosen = [drag.from, px];
      describe();
    }
  });
  addEventListener("pointerup", () => {
    if (!drag) return;
    const to = drag.to, range = chosen;
    drag = chosen = null;
    if (range) show(at(Math.min(...range)), at(Math.max(...range)));
    else if (to) unfold(document.getElementById(to));
  });

  // A moment is shown with as much time around it.
  for (const b of document.querySelectorAll("button[data-moment]")) b.addEventListener("click", () => {
    const [from, length] = b.dataset.moment.split(" ").map(Number), around = Math.max(length / 2, 1000);
    show(from - around, from + length + around);
    root.scrollIntoView({block: "start"});
  });

  const unfold = e => {
    document.querySelectorAll(".shown").forEach(e => e.classList.remove("shown"));
    e.open = true;
    e.classList.add("shown");
    e.scrollIntoView({block: "center"});
  };

  new ResizeObserver(() => { if (root.clientWidth !== width) draw(); }).observe(root);
  draw();
})();
