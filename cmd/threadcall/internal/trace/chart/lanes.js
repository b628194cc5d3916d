// The lanes of goroutines and threads below the plots, in the same view. The page has tiles for the whole trace and for some
// windows.
(() => {
  if (!data.windows.length) return;
  const root = document.getElementById("time");
  const left = 170, right = 8, rowHeight = 18, gap = 2; // left and right as in the plots
  const make = (name, properties = {}, ...children) => {
    const e = Object.assign(document.createElement(name), properties);
    e.append(...children);
    return e;
  };
  const box = make("div", {id: "lanes"});
  const heading = make("h3", {textContent: "Goroutines and threads"});
  const bar = make("div", {className: "bar"}), key = make("div", {className: "key"});
  const status = make("p", {className: "status faint"});
  const canvas = make("canvas", {ariaLabel: "lanes of goroutines and threads"});
  const tip = make("div", {className: "tip", hidden: true}), details = make("div", {className: "details", hidden: true});
  const logs = make("div", {className: "logs"});
  for (const [kind, text] of [["running", "running"], ["syscall", "system call"], ["runnable", "ready, not running"], ["waiting", "waiting"],
    ["region", "region, task"], ["range", "runtime: collector, assist, stopped world"]])
    key.append(make("span", {}, make("i", {className: "k-" + kind}), text));
  box.append(bar, key, status, canvas, tip, details, logs);
  root.append(heading, box);

  const kinds = ["running", "syscall", "runnable", "waiting", "goroutine", "range", "region", "task", "log"];
  const duration = ns => {
    const [unit, name] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(u => Math.abs(ns) >= u[0]) ?? [1, "ns"];
    return Number((ns / unit).toPrecision(4)) + " " + name;
  };
  const view = () => [Number(root.dataset.from), Number(root.dataset.to)];
  const show = (from, to) => root.dispatchEvent(new CustomEvent("show", {detail: {from, to}}));

  let tile = null, rows = [];

  // Controls.
  data.windows.forEach(w => {
    const b = make("button", {type: "button", textContent: w.label});
    b.addEventListener("click", () => show(w.tile.from, w.tile.to));
    bar.append(b, " ");
  });

  // load gets the tile for the view.
  const load = () => {
    const [from, to] = view();
    const has = data.windows.filter(w => w.tile.from <= from && w.tile.to >= to);
    tile = (has.length ? has : data.windows.slice(0, 1)).reduce((a, b) => b.tile.to - b.tile.from < a.tile.to - a.tile.from ? b : a).tile;
    draw();
  };

  const width = () => Math.max(300, root.clientWidth);
  const colors = () => {
    const style = getComputedStyle(document.documentElement), c = name => style.getPropertyValue("--" + name).trim();
    return {running: c("one"), syscall: c("two"), runnable: c("four"), waiting: c("line"), region: c("three"), task: c("three"), range: c("bad"),
      ink: c("ink"), faint: c("faint"), panel: c("panel"), paper: c("paper")};
  };

  const draw = () => {
    if (!tile) return;
    const [from, to] = view(), w = width(), scale = devicePixelRatio || 1, c = colors();
    const x = t => left + (t - from) / (to - from) * (w - left - right);
    rows = [];
    const section = (title, lanes, type) => {
      if (!lanes.length) return;
      rows.push({title});
      for (const lane of lanes) rows.push({lane, type});
    };
    section("program", tile.program, "program");
    section("tasks", tile.tasks, "task");
    section("threads", tile.threads, "thread");
    section("goroutines", tile.goroutines, "goroutine");
    const height = rows.length * rowHeight + 4;
    canvas.width = w * scale;
    canvas.height = height * scale;
    canvas.style.height = height + "px";
    const g = canvas.getContext("2d");
    g.scale(scale, scale);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    rows.forEach((row, i) => {
      const top = i * rowHeight + gap, h = rowHeight - gap, middle = top + h / 2;
      if (row.title) {
        g.fillStyle = c.ink;
        g.font = "600 12px system-ui, sans-serif";
        g.fillText(row.title, left, middle);
        g.font = "12px system-ui, sans-serif";
        return;
      }
      const lane = row.lane;
      g.fillStyle = c.panel;
      g.fillRect(left, top, w - left - right, h);
      g.save();
      g.beginPath();
      g.rect(left, top, w - left - right, h);
      g.clip();
      const label = (text, x0, x1) => {
        if (x1 - x0 < 30) return;
        while (text && g.measureText(text).width > x1 - x0 - 6) text = text.slice(0, -1 - (text.length >> 3));
        if (text.length > 2) g.fillText(text, x0 + 3, middle);
      };
      for (const b of lane.bars) {
        if (b[0] > to || b[0] + b[1] < from) continue;
        const x0 = Math.max(x(b[0]), left), x1 = Math.min(x(b[0] + b[1]), w - right), kind = kinds[b[2]];
        g.fillStyle = c[kind];
        const thin = kind === "waiting";
        g.fillRect(x0, thin ? top + h * 0.35 : top, Math.max(x1 - x0, 1), thin ? h * 0.3 : h);
        g.fillStyle = thin ? c.faint : c.paper;
        if (row.type === "thread") label("G" + b[4], x0, x1);
        else if (thin || kind === "runnable") label(tile.names[b[3]] ?? kind, x0, x1);
        else if (row.type === "goroutine" && b[4] >= 0) label(kind + " on " + b[4], x0, x1);
        else if (row.type === "program") label(tile.names[b[3]] ?? "", x0, x1);
      }
      for (const f of lane.fine) {
        const t0 = tile.from + f[0] * tile.step, x0 = x(t0), x1 = Math.max(x(t0 + tile.step), x0 + 1);
        if (x1 < left || x0 > w - right) continue;
        let y = top + h;
        for (let k = 0; k < 3; k++) {
          const part = f[k + 1] / 1000 * h;
          g.fillStyle = c[kinds[k]];
          g.fillRect(x0, y - part, x1 - x0, part);
          y -= part;
        }
      }
      for (const m of lane.marks) {
        const x0 = x(m[0]), x1 = x(m[0] + m[1]);
        if (x1 < left || x0 > w - right) continue;
        g.fillStyle = c[kinds[m[2]]];
        g.fillRect(Math.max(x0, left), top + h - 4, Math.max(Math.min(x1, w - right) - Math.max(x0, left), 1), 4);
      }
      g.restore();
      let [id, ...rest] = (lane.title || "G" + lane.id).split(" ");
      rest = rest.join(" ");
      if (row.type !== "goroutine") [id, rest] = ["", lane.title];
      if (row.type === "thread") [id, rest] = [String(lane.id), lane.title.split(" ").slice(2).join(" ")];
      g.textAlign = "right";
      g.fillStyle = c.ink;
      g.fillText(id, left - 6, middle);
      const room = left - 16 - g.measureText(id).width;
      if (g.measureText(rest).width > room) {
        while (rest && g.measureText("…" + rest).width > room) rest = rest.slice(1);
        rest = "…" + rest;
      }
      g.fillStyle = c.faint;
      g.fillText(rest, left - 12 - g.measureText(id).width, middle);
      g.textAlign = "left";
    });
    const fine = tile.from <= from && tile.to >= to;
    status.textContent = `${tile.goroutines.length} of ${tile.of} goroutines, the most active in this time` +
      (fine && to - from >= (tile.to - tile.from) / 20 ? "" : "; for detail choose a window above, or run threadcall trace -html with -from and -to");
    const shown = tile.logs.filter(l => l.t >= from && l.t <= to);
    logs.replaceChildren(...shown.map(l => make("div", {}, make("span", {className: "faint", textContent: duration(l.t) + (l.g < 0 ? " " : " G" + l.g + " ")}),
      (l.category ? l.category + ": " : "") + l.text)));
    if (tile.more_logs) logs.append(make("div", {className: "faint", textContent: `and ${tile.more_logs} more log events`}));
    root.dataset.lanes = tile.goroutines.length;
  };

  // find returns what is at a position of the canvas.
  const find = e => {
    const area = canvas.getBoundingClientRect(), [from, to] = view();
    const row = rows[Math.floor((e.clientY - area.top) / rowHeight)], px = e.clientX - area.left;
    if (!row?.lane || px < left) return null;
    const t = from + (px - left) / (width() - left - right) * (to - from), pixel = (to - from) / (width() - left - right);
    const bar = row.lane.bars.findLast(b => b[0] <= t + pixel && b[0] + Math.max(b[1], pixel) >= t);
    const marks = row.lane.marks.filter(m => m[0] <= t + pixel && m[0] + m[1] >= t - pixel);
    const fine = row.lane.fine.find(f => f[0] === Math.floor((t - tile.from) / tile.step));
    return {row, t, bar, marks, fine};
  };
  const headline = (row, b) => {
    const kind = kinds[b[2]], name = tile.names[b[3]];
    return (kind === "runnable" ? "ready, not running" : kind) + (name ? ": " + name : "") + ` for ${duration(b[1])}, at ${duration(b[0])}`;
  };
  const lines = at => {
    const out = [at.row.lane.title || "G" + at.row.lane.id];
    if (at.bar) {
      const b = at.bar;
      out.push(headline(at.row, b));
      if (b[4] >= 0) out.push(at.row.type === "goroutine" ? "on thread " + b[4] : "goroutine " + b[4]);
      if (b[6]) out.push(tile.places[b[6]] ?? "");
      if (b[5] >= 0) out.push("by goroutine " + b[5] + (b[7] ? ": " + (tile.places[b[7]] ?? "") : ""));
    } else if (at.fine) {
      out.push(["running", "system call", "ready", "waiting"].map((n, i) => [n, at.fine[i + 1]]).filter(p => p[1]).map(p => `${p[0]} ${p[1] / 10} %`).join(", ") +
        ", in short intervals: zoom in");
    }
    for (const m of at.marks) out.push(headline(at.row, m));
    return out;
  };
  canvas.addEventListener("pointermove", e => {
    const at = find(e);
    tip.hidden = !at || !(at.bar || at.fine || at.marks.length);
    if (tip.hidden) return;
    tip.replaceChildren(...lines(at).map(text => make("div", {textContent: text})));
    const area = box.getBoundingClientRect(), px = e.clientX - area.left;
    tip.style.left = Math.min(px + 14, Math.max(0, area.width - tip.offsetWidth)) + "px";
    tip.style.top = e.clientY - area.top + 16 + "px";
  });
  // The label of a lane is whole in its title.
  canvas.addEventListener("pointermove", e => {
    const row = rows[Math.floor((e.clientY - canvas.getBoundingClientRect().top) / rowHeight)];
    canvas.title = row?.lane && e.clientX - canvas.getBoundingClientRect().left < left ? row.lane.title : "";
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });

  const stack = (title, n) => n && tile.stacks[n]?.length ? [make("h3", {textContent: title}),
    make("ol", {className: "stack"}, ...tile.stacks[n].map(text => make("li", {}, make("code", {textContent: text}))))] : [];
  let pressed = null;
  canvas.addEventListener("pointerdown", e => { pressed = [e.clientX, e.clientY]; });
  canvas.addEventListener("click", e => {
    if (!pressed || Math.abs(e.clientX - pressed[0]) > 3) return; // it was a drag
    const at = find(e);
    details.hidden = !at;
    if (!at) return;
    const [first, ...rest] = lines(at);
    details.replaceChildren(make("h3", {textContent: first}), ...rest.map(text => make("div", {textContent: text})));
    const b = at.bar ?? at.marks[0];
    if (b) {
      details.append(...stack("Stack at its end or during the wait", b[6]), ...stack("Ended by", b[7]));
      const zoom = make("button", {type: "button", textContent: "zoom to it"});
      zoom.addEventListener("click", () => show(b[0] - b[1] / 4, b[0] + b[1] * 1.25));
      details.append(zoom, " ");
    }
  });

  root.addEventListener("view", load);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  load();
})();
