// The lanes of goroutines and threads: one canvas with one axis of time. The view is the part of the
// time that is shown. Lanes come from the tile, of the page's windows, that fits the view best.
(() => {
  const root = document.getElementById("time"), output = root.querySelector("output");
  const left = 170, right = 8, rowHeight = 18, total = data.duration, least = Math.min(total, 100);
  const make = (name, properties = {}, ...children) => {
    const e = Object.assign(document.createElement(name), properties);
    e.append(...children);
    return e;
  };
  const canvas = make("canvas", {ariaLabel: "goroutines and threads over time"});
  const chosen = make("div", {className: "chosen", hidden: true});
  const tip = make("div", {className: "tip", hidden: true});
  const details = make("div", {className: "details", hidden: true});
  const status = make("p", {className: "faint"});
  const area = make("div", {className: "area"}, canvas, chosen, tip);
  root.append(area, details, status);
  let view = data.view ?? [0, total], width = 800, rows = [], tile = null;

  // Numbers with units.
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const time = ns => {
    const [unit, name] = units.find(u => Math.abs(ns) >= u[0]) ?? units[3];
    return Number((ns / unit).toPrecision(6)) + " " + name;
  };
  // ticks returns about n round values between two.
  const ticks = (low, high, n) => {
    const raw = (high - low) / n, power = 10 ** Math.floor(Math.log10(raw)), out = [];
    const step = Math.max(1, [1, 2, 5, 10].map(m => m * power).find(s => s >= raw * 0.999));
    for (let i = Math.ceil(low / step); i * step <= high; i++) out.push(i * step);
    return out;
  };
  const x = t => left + (t - view[0]) / (view[1] - view[0]) * (width - left - right);
  const at = px => view[0] + (px - left) / (width - left - right) * (view[1] - view[0]);
  const clip = px => Math.min(Math.max(px, left), width - right);
  const style = getComputedStyle(root);
  const color = name => style.getPropertyValue("--" + name).trim();
  const colorOf = {running: "one", syscall: "two", runnable: "four", waiting: "line",
    lock: "lock", region: "three", range: "bad"};

  const layout = () => {
    const fits = data.tiles.filter(t => t.from <= view[0] && t.to >= view[1]);
    const shorter = (a, b) => a && a.to - a.from <= b.to - b.from ? a : b;
    tile = fits.reduce(shorter, data.tiles[0]);
    rows = [{type: "axis", height: 20}];
    const parts = ["goroutines", "program", "threads"];
    for (const [title, lanes] of parts.map(name => [name, tile[name]])) {
      const type = title.replace(/s$/, "");
      if (lanes.length) rows.push({type: "title", height: rowHeight, title});
      for (const lane of lanes) rows.push({type, height: rowHeight, lane});
    }
    let top = 0;
    for (const row of rows) [row.top, top] = [top, top + row.height];
    return top;
  };

  const drawLane = (g, {top, type, lane}) => {
    const h = rowHeight - 2, middle = top + h / 2;
    g.fillStyle = color("panel");
    g.fillRect(left, top, width - left - right, h);
    const rect = (from, length, kind, y, height, least) => {
      const x0 = x(from), x1 = Math.max(x(from + length), x0 + least);
      if (x1 < left || x0 > width - right) return 0;
      g.fillStyle = color(colorOf[kind]);
      g.fillRect(clip(x0), y, Math.max(clip(x1) - clip(x0), least), height);
      return clip(x1) - clip(x0);
    };
    for (const b of lane.bars) {
      const kind = data.kinds[b[2]], thin = kind === "waiting";
      g.globalAlpha = thin ? 0.5 : 1;
      const room = rect(b[0], b[1], kind, top, h, 0.5) - 6;
      g.globalAlpha = 1;
      const text = type === "thread" ? "G" + b[4] : tile.names[b[3]] || kind;
      g.fillStyle = color(thin ? "faint" : "paper");
      const fits = room > 30 && g.measureText(text).width < room;
      if (fits) g.fillText(text, clip(x(b[0])) + 3, middle);
    }
    for (const [column, ...parts] of lane.fine) {
      let y = top + h;
      for (const k of [0, 1, 2, 4]) {
        const height = parts[k] / 1000 * h;
        rect(tile.from + column * tile.step, tile.step, data.kinds[k], y -= height, height, 1);
      }
    }
    for (const m of lane.marks) rect(m[0], m[1], data.kinds[m[2]], top + h - 4, 4, 1);
    g.fillStyle = color("ink");
    g.textAlign = "right";
    g.fillText(lane.title || "G" + lane.id, left - 6, middle, left - 12);
    g.textAlign = "left";
  };

  const draw = () => {
    width = Math.max(300, root.clientWidth);
    const height = layout(), scale = devicePixelRatio || 1, g = canvas.getContext("2d");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.height = height + "px";
    g.scale(scale, scale);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    const moments = ticks(view[0], view[1], Math.max(2, width / 140));
    for (const row of rows) {
      if (row.lane) drawLane(g, row);
      else if (row.type === "title") {
        g.fillStyle = color("faint");
        g.fillText(row.title, left, row.top + row.height / 2);
      } else {
        g.fillStyle = color("faint");
        g.textAlign = "center";
        for (const t of moments) g.fillText(time(t), x(t), 8);
        g.textAlign = "left";
      }
    }
    g.globalAlpha = 0.5;
    g.fillStyle = color("line");
    for (const t of moments) g.fillRect(x(t), 18, 1, height);
    root.dataset.from = view[0];
    root.dataset.to = view[1];
    root.dataset.lanes = tile.goroutines.length;
    output.textContent = `${time(view[0])} to ${time(view[1])}`;
    status.textContent = `${tile.goroutines.length} of ${tile.of} goroutines, those that ran for longest ` +
      "in this time; for detail choose a window above, or run threadcall trace -html with -from and -to";
  };

  const show = (from, to) => {
    const span = Math.min(Math.max(to - from, least), total);
    from = Math.min(Math.max(from, 0), total - span);
    view = [from, from + span];
    tip.hidden = true;
    draw();
  };
  // move shows what is by share later, and factor times as long.
  const move = (share, factor) => {
    const span = view[1] - view[0], middle = (view[0] + view[1]) / 2 + share * span;
    show(middle - span * factor / 2, middle + span * factor / 2);
  };
  const actions = {in: () => move(0, 0.5), out: () => move(0, 2), left: () => move(-0.25, 1),
    right: () => move(0.25, 1), reset: () => show(0, total)};
  const keys = {"+": "in", "-": "out", "ArrowLeft": "left", "ArrowRight": "right", "0": "reset"};
  const on = (list, f) => { for (const b of list) b.addEventListener("click", () => f(b)); };
  on(root.querySelectorAll("button[data-do]"), b => actions[b.dataset.do]());
  root.addEventListener("keydown", e => {
    if (!(e.key in keys) || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    actions[keys[e.key]]();
  });
  data.tiles.forEach(t => {
    const b = make("button", {type: "button", textContent: t.label});
    b.addEventListener("click", () => show(t.from, t.to));
    output.before(b);
  });
  // A moment is shown with half as much time on either side of it.
  on(document.querySelectorAll("button[data-moment]"), b => {
    const [from, length] = b.dataset.moment.split(" ").map(Number);
    const around = Math.max(length / 2, 1000);
    show(from - around, from + length + around);
    root.scrollIntoView({block: "start"});
  });

  // find returns what is at a position of the canvas.
  const find = e => {
    const box = canvas.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
    const row = rows.findLast(r => r.top <= py), lane = row?.lane;
    const t = at(clip(px)), pixel = at(left + 1) - at(left);
    const near = b => b[0] <= t + pixel && b[0] + Math.max(b[1], pixel) >= t;
    return {row, px, py, t, bar: lane?.bars.findLast(near), marks: lane?.marks.filter(near) ?? [],
      fine: lane?.fine.find(f => f[0] === Math.floor((t - tile.from) / tile.step))};
  };
  const headline = b => {
    const kind = data.kinds[b[2]].replace("runnable", "ready, not running").replace("lock", "waiting");
    const name = tile.names[b[3]];
    return `${kind}${name ? ": " + name : ""} for ${time(b[1])}, at ${time(b[0])}`;
  };
  const describe = ({row, t, bar, marks, fine}) => {
    const out = [time(t)];
    if (!row?.lane) return out;
    out.push(row.lane.title || "G" + row.lane.id);
    if (bar) {
      out.push(headline(bar));
      if (bar[4] >= 0) out.push((row.type === "goroutine" ? "on thread " : "goroutine ") + bar[4]);
      if (bar[6]) out.push(tile.places[bar[6]]);
      const place = bar[7] ? ": " + tile.places[bar[7]] : "";
      if (bar[5] >= 0) out.push(`by goroutine ${bar[5]}${place}`);
    } else if (fine) {
      out.push(data.kinds.slice(0, 5).map((kind, i) => [kind, fine[i + 1]]).filter(p => p[1])
        .map(p => `${p[0]} ${p[1] / 10} %`).join(", ") + ", in short intervals: zoom in");
    }
    return out.concat(marks.map(headline));
  };
  const frame = textContent => make("li", {}, make("code", {textContent}));
  const stack = (title, n) => n && tile.stacks[n]?.length ? [make("h3", {textContent: title}),
    make("ol", {className: "stack"}, ...tile.stacks[n].map(frame))] : [];

  let drag = null;
  canvas.addEventListener("pointerdown", e => {
    if (e.button > 0 || e.pointerType === "touch") return;
    e.preventDefault();
    root.focus({preventScroll: true});
    drag = {from: clip(find(e).px), to: clip(find(e).px)};
  });
  canvas.addEventListener("pointermove", e => {
    const found = find(e), px = clip(found.px);
    tip.hidden = false;
    tip.replaceChildren(...describe(found).map(text => make("div", {textContent: text})));
    tip.style.left = Math.min(found.px + 14, Math.max(0, width - tip.offsetWidth)) + "px";
    tip.style.top = found.py + 16 + "px";
    if (!drag) return;
    drag.to = px;
    chosen.hidden = Math.abs(drag.to - drag.from) <= 3;
    chosen.style.left = Math.min(drag.from, drag.to) + "px";
    chosen.style.width = Math.abs(drag.to - drag.from) + "px";
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  addEventListener("pointerup", e => {
    if (!drag) return;
    const {from, to} = drag;
    drag = null;
    chosen.hidden = true;
    if (Math.abs(from - to) > 3) return show(at(Math.min(from, to)), at(Math.max(from, to)));
    const found = find(e), b = found.bar ?? found.marks[0];
    details.hidden = !b;
    if (!b) return;
    const focus = make("button", {type: "button", textContent: "zoom to it"});
    on([focus], () => show(b[0] - b[1] / 4, b[0] + b[1] * 1.25));
    const lines = describe(found).slice(1).map(textContent => make("div", {textContent}));
    details.replaceChildren(...lines, ...stack("Stack at its end or during the wait", b[6]),
      ...stack("Ended by", b[7]), focus);
  });

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(() => { if (root.clientWidth !== width) draw(); }).observe(root);
  draw();
})();
