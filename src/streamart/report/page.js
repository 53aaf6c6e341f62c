"use strict";
// Draws the report from the JSON in the page. No library, nothing fetched.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const summary = data.summary;
  const clusters = summary.clusters; // the largest first
  const rank = new Map(clusters.map((c, i) => [c.id, i]));
  const byId = new Map(clusters.map((c) => [c.id, c]));
  const OTHERS = -1;
  const FEW = ["#2a7fc9", "#df6326", "#1d9f77", "#c46aa3", "#d0931a", "#4fb3d9", "#8a6fd1", "#8d8d8d"];
  let lit = null; // the cluster that is pointed at, or chosen
  let chosen = null;

  const get = (id) => document.getElementById(id);
  const number = (v) => (v === null || v === undefined ? "–" : Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-3)
    ? v.toExponential(2) : Number(v.toPrecision(4)).toLocaleString("en"));
  const count = (v) => (v === null || v === undefined ? "?" : v.toLocaleString("en"));
  const isDark = () => root.dataset.theme === "dark";
  const style = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  // ---------------------------------------------------------------- colours
  function colour(id) {
    if (id === OTHERS) return isDark() ? "#4a5361" : "#c3c9d2";
    let at = rank.has(id) ? rank.get(id) : clusters.length + Math.abs(id);
    if (clusters.length <= FEW.length && at < FEW.length) return FEW[at];
    // The golden angle keeps neighbours in rank apart; three shades, since hues alone run out.
    const hue = (at * 137.508 + 210) % 360;
    const shade = at % 3;
    const light = isDark() ? [62, 74, 50][shade] : [44, 58, 32][shade];
    return `hsl(${hue.toFixed(1)}, ${[68, 55, 62][shade]}%, ${light}%)`;
  }
  function nameOf(id) {
    if (id === OTHERS) return `${data.river.hidden} smaller clusters`;
    const c = byId.get(id);
    return c && c.name ? `#${id} · ${c.name}` : `#${id}`;
  }

  // ---------------------------------------------------------------- small helpers
  function svg(tag, attributes, parent, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }
  function make(tag, parent, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    if (parent) parent.appendChild(made);
    return made;
  }
  const cut = (text, letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
  const tip = get("tip");
  function say(event, text) {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - box.width - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - box.height - 8)}px`;
  }
  const hush = () => { tip.hidden = true; };
  function ticks(low, high, wanted) {
    if (!(high > low)) return [low];
    const rough = (high - low) / wanted;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
    const found = [];
    for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) found.push(Math.abs(v) < step * 1e-9 ? 0 : v);
    return found;
  }
  const brief = (v) => {
    const size = Math.abs(v);
    if (size >= 1e9) return `${Number((v / 1e9).toPrecision(3))}G`;
    if (size >= 1e6) return `${Number((v / 1e6).toPrecision(3))}M`;
    if (size >= 1e4) return `${Number((v / 1e3).toPrecision(3))}k`;
    return size !== 0 && size < 1e-3 ? v.toExponential(0) : `${Number(v.toPrecision(4))}`;
  };

  // ---------------------------------------------------------------- time, linear or logarithmic
  const times = data.looks.n;
  const firstTime = Math.max(1, times.length ? times[0] : 1);
  const lastTime = Math.max(firstTime + 1, times.length ? times[times.length - 1] : 2);
  let logTime = lastTime / firstTime > 300;
  function timeScale(x0, x1) {
    const low = logTime ? Math.log(firstTime) : 0;
    const high = logTime ? Math.log(lastTime) : lastTime;
    return (n) => x0 + (((logTime ? Math.log(Math.max(n, firstTime)) : n) - low) / (high - low)) * (x1 - x0);
  }
  function timeTicks(wanted) {
    if (!logTime) return ticks(0, lastTime, wanted);
    const found = [];
    for (let p = Math.floor(Math.log10(firstTime)); p <= Math.log10(lastTime); p++) {
      if (Math.pow(10, p) >= firstTime) found.push(Math.pow(10, p));
    }
    const every = Math.ceil(found.length / wanted);
    return found.filter((_, i) => i % every === 0);
  }
  function timeAxis(parent, scale, top, bottom, wanted) {
    for (const n of timeTicks(wanted)) {
      svg("line", { x1: scale(n), x2: scale(n), y1: top, y2: bottom, class: "grid" }, parent);
      svg("text", { x: scale(n), y: bottom + 15, "text-anchor": "middle" }, parent, brief(n));
    }
  }

  // ---------------------------------------------------------------- head and tiles
  function drawTiles() {
    const run = summary.run || {};
    get("subject").textContent = (run.inputs || []).slice(0, 3).join(", ") + ((run.inputs || []).length > 3 ? `, … (${run.inputs.length} files)` : "");
    const better = { ch: "larger is better", wb: "smaller is better", pbm: "larger is better",
      xb: "smaller is better", db: "smaller is better", conn: "larger is better" };
    const tiles = [
      [count(summary.samples), "samples learnt"], [count(summary.n_clusters), summary.n_clusters === 1 ? "cluster" : "clusters"],
      [count(summary.n_categories), "categories"],
      [number(summary.index.value), `index ${summary.index.name.toUpperCase()}, ${better[summary.index.name]}`],
    ];
    if (summary.truth && summary.truth.ari !== null) {
      tiles.push([summary.truth.ari.toFixed(3), `ARI against ${summary.truth.column}`], [summary.truth.nmi.toFixed(3), "NMI"]);
    }
    if (run.rows_rejected) tiles.push([count(run.rows_rejected), "rows could not be used"]);
    const box = get("tiles");
    for (const [big, small] of tiles) {
      const tile = make("div", box, undefined, "tile");
      make("b", tile, big);
      make("span", tile, small);
    }
  }

  // ---------------------------------------------------------------- the map
  const plane = data.map;
  const layers = { rows: true, boxes: plane.boxes && plane.boxes.length <= 400, links: true, numbers: true };
  const canvas = get("map");
  let place = null; // from data to pixels
  function drawMap() {
    const rect = canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    canvas.width = rect.width * ratio;
    canvas.height = rect.height * ratio;
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    c.clearRect(0, 0, rect.width, rect.height);
    c.font = "11.5px system-ui, sans-serif";
    if (!plane.x.length) {
      c.fillStyle = style("--soft");
      c.fillText("No rows were kept for this picture.", 20, 30);
      return;
    }
    const pad = { left: 56, right: 12, top: 10, bottom: 40 };
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    plane.x.forEach((x, i) => {
      if (plane.outlier[i]) return;
      x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, plane.y[i]); y1 = Math.max(y1, plane.y[i]);
    });
    const mx = (x1 - x0 || 1) * 0.03, my = (y1 - y0 || 1) * 0.04;
    x0 -= mx; x1 += mx; y0 -= my; y1 += my;
    // What lies beyond is drawn at the border.
    const within = (v, low, high) => Math.max(low - 0.02 * (high - low), Math.min(high + 0.02 * (high - low), v));
    const X = (x) => pad.left + ((within(x, x0, x1) - x0) / (x1 - x0)) * (rect.width - pad.left - pad.right);
    const Y = (y) => rect.height - pad.bottom - ((within(y, y0, y1) - y0) / (y1 - y0)) * (rect.height - pad.top - pad.bottom);
    place = { X, Y };
    c.strokeStyle = style("--grid");
    c.fillStyle = style("--soft");
    c.lineWidth = 1;
    c.textAlign = "center";
    for (const x of ticks(x0, x1, 8)) {
      c.beginPath(); c.moveTo(X(x), pad.top); c.lineTo(X(x), rect.height - pad.bottom); c.stroke();
      c.fillText(brief(x), X(x), rect.height - pad.bottom + 16);
    }
    c.textAlign = "right";
    for (const y of ticks(y0, y1, 7)) {
      c.beginPath(); c.moveTo(pad.left, Y(y)); c.lineTo(rect.width - pad.right, Y(y)); c.stroke();
      c.fillText(brief(y), pad.left - 7, Y(y) + 4);
    }
    c.textAlign = "center";
    c.fillText(plane.axes[0], (pad.left + rect.width) / 2, rect.height - 6);
    c.save(); c.translate(12, rect.height / 2 - 10); c.rotate(-Math.PI / 2); c.fillText(plane.axes[1], 0, 0); c.restore();
    const now = lit === null ? chosen : lit;
    const size = plane.x.length > 3000 ? 1.7 : plane.x.length > 800 ? 2.2 : 3;
    if (layers.rows) {
      for (const front of [false, true]) {
        plane.x.forEach((x, i) => {
          const mine = plane.cluster[i] === now;
          if (mine !== front && now !== null) return;
          if (now === null && front) return;
          c.globalAlpha = now === null ? 0.6 : mine ? 0.95 : 0.1;
          c.fillStyle = colour(plane.cluster[i]);
          if (plane.outlier[i]) {
            c.strokeStyle = c.fillStyle; c.lineWidth = 1.5; c.beginPath();
            for (const s of [-1, 1]) { c.moveTo(X(x) - 3.5, Y(plane.y[i]) - 3.5 * s); c.lineTo(X(x) + 3.5, Y(plane.y[i]) + 3.5 * s); }
            c.stroke();
            return;
          }
          c.beginPath(); c.arc(X(x), Y(plane.y[i]), mine ? size + 0.7 : size, 0, 7); c.fill();
        });
      }
    }
    if (layers.boxes) {
      for (const [a, b, p, q, id] of plane.boxes || []) {
        c.globalAlpha = now === null ? Number(style("--box")) : id === now ? 1 : 0.12;
        c.strokeStyle = colour(id);
        c.lineWidth = 1.2;
        c.strokeRect(X(a), Y(q), Math.max(2, X(p) - X(a)), Math.max(2, Y(b) - Y(q)));
      }
    }
    if (layers.links) {
      c.strokeStyle = style("--edge");
      c.globalAlpha = now === null ? 1 : 0.25;
      for (const [a, b, p, q, w] of plane.edges || []) {
        c.lineWidth = 0.5 + 2.5 * Math.sqrt(w);
        c.beginPath(); c.moveTo(X(a), Y(b)); c.lineTo(X(p), Y(q)); c.stroke();
      }
    }
    c.globalAlpha = 1;
    if (layers.numbers) drawNumbers(c, X, Y, now);
    root.dataset.rowsDrawn = plane.x.length;
    root.dataset.boxesDrawn = (plane.boxes || []).length;
    root.dataset.edgesDrawn = (plane.edges || []).length;
  }
  function drawNumbers(c, X, Y, now) {
    // Each at the row nearest to the middle of its cluster; the largest first, none on another.
    const members = new Map();
    plane.cluster.forEach((id, i) => { if (!members.has(id)) members.set(id, []); members.get(id).push(i); });
    // With many, they would hide what they name: only some, small, and above their clusters.
    const taken = [], many = members.size > 40;
    c.font = many ? "600 11px system-ui, sans-serif" : "bold 12.5px system-ui, sans-serif";
    c.textAlign = "center";
    c.lineJoin = "round";
    const order = clusters.map((k) => k.id).filter((id) => members.has(id));
    if (now !== null && members.has(now)) order.unshift(now);
    for (const id of order.slice(0, many ? 60 : order.length)) {
      const rows = members.get(id);
      const mid = (v) => rows.map((i) => v[i]).sort((a, b) => a - b)[Math.floor(rows.length / 2)];
      const text = byId.get(id) && byId.get(id).name ? cut(byId.get(id).name, 18) : `#${id}`;
      const x = X(mid(plane.x)), w = c.measureText(text).width / 2 + 4;
      const y = many ? Y(Math.max(...rows.map((i) => plane.y[i]))) - 4 : Y(mid(plane.y)) + 4;
      if (taken.some(([a, b, v]) => Math.abs(a - x) < v + w && Math.abs(b - y) < 17)) continue;
      taken.push([x, y, w]);
      c.globalAlpha = now === null || now === id ? 1 : 0.3;
      c.strokeStyle = style("--card"); c.lineWidth = 4; c.strokeText(text, x, y);
      c.fillStyle = style("--text"); c.fillText(text, x, y);
    }
    c.globalAlpha = 1;
    root.dataset.numbersDrawn = taken.length;
  }
  canvas.addEventListener("mousemove", (event) => {
    if (!place) return;
    const rect = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - rect.left, event.clientY - rect.top];
    let best = -1, near = 144;
    plane.x.forEach((x, i) => {
      const d = (place.X(x) - px) ** 2 + (place.Y(plane.y[i]) - py) ** 2;
      if (d < near) { near = d; best = i; }
    });
    if (best < 0) { hush(); light(null); return; }
    const id = plane.cluster[best], known = byId.get(id);
    say(event, `${nameOf(id)}\n${known ? count(known.size) + " samples" : ""}\nrow ${count(plane.n[best])}: ${number(plane.x[best])}, ${number(plane.y[best])}`);
    light(id);
  });
  canvas.addEventListener("mouseleave", () => { hush(); light(null); });
  canvas.addEventListener("click", () => choose(lit));
  const plural = (n) => (n === 1 ? "cross: 1 outlier, which does not set the scale" : `crosses: ${count(n)} outliers, which do not set the scale`);
  function drawLayers() {
    get("map-note").textContent = [plane.title, plane.shown, plane.outlier && plane.outlier.some(Boolean) ? plural(plane.outlier.filter(Boolean).length) : ""].filter(Boolean).join("; ");
    const box = get("layers");
    const some = { rows: plane.x.length, boxes: (plane.boxes || []).length, links: (plane.edges || []).length, numbers: plane.x.length };
    const words = { rows: "rows", boxes: `${some.boxes} category boxes`, links: `${some.links} CONN edges`, numbers: "names" };
    for (const key in layers) {
      if (!some[key]) continue;
      const button = make("button", box, words[key]);
      button.setAttribute("aria-pressed", layers[key]);
      button.onclick = () => { layers[key] = !layers[key]; button.setAttribute("aria-pressed", layers[key]); drawMap(); };
    }
  }
  let waiting = false;
  function light(id) {
    if (id === lit) return;
    lit = id;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawMap(); mark(); });
  }
  function choose(id) { chosen = chosen === id ? null : id; drawMap(); mark(); }
  function mark() {
    const now = lit === null ? chosen : lit;
    for (const item of document.querySelectorAll("[data-cluster]")) {
      const mine = Number(item.dataset.cluster) === now;
      if (item.tagName === "TR") item.classList.toggle("lit", mine);
      else item.style.opacity = now === null || mine ? "" : "0.25";
    }
  }
  function watch(item, id, text) {
    item.dataset.cluster = id;
    item.addEventListener("mouseenter", () => light(id));
    item.addEventListener("mousemove", (event) => { if (text) say(event, text()); });
    item.addEventListener("mouseleave", () => { hush(); light(null); });
    item.addEventListener("click", () => choose(id));
  }

  /*cards*/
  // ---------------------------------------------------------------- tables
  const columns = [
    ["cluster", (c) => c.id, (c) => `#${c.id}`], ["name", (c) => c.name || c.suggested_name, (c) => c.name || c.suggested_name],
    ["size", (c) => -c.size, (c) => count(c.size)], ["share", (c) => -c.size, (c) => `${((100 * c.size) / summary.samples).toFixed(1)}%`],
    ["first", (c) => c.first_seen || 0, (c) => count(c.first_seen)], ["last", (c) => -(c.last_seen || 0), (c) => count(c.last_seen)],
  ];
  let sorting = (c) => -c.size;
  function drawClusters() {
    const table = get("clusters");
    const head = make("tr", table.tHead);
    for (const [title, key] of columns) {
      const sort = make("button", make("th", head, undefined, title === "name" ? "words" : ""), title);
      sort.title = `sort by ${title}`;
      sort.onclick = () => { sorting = key; fill(); };
    }
    get("find").oninput = () => { fill(); drawCards(); mark(); };
    function fill() {
      const body = table.tBodies[0];
      body.replaceChildren();
      const rows = [...clusters].sort((a, b) => (sorting(a) < sorting(b) ? -1 : sorting(a) > sorting(b) ? 1 : a.id - b.id));
      for (const c of rows) {
        if (!isWanted(c)) continue;
        const row = make("tr", body);
        columns.forEach(([title, , shown], i) => {
          const cell = make("td", row, i ? shown(c) : undefined, title === "name" ? "words name" : "");
          if (!i) {
            const swatch = make("span", cell, "", "swatch");
            swatch.dataset.swatch = c.id;
            swatch.style.background = colour(c.id);
            cell.append(`#${c.id}`);
          }
        });
        watch(row, c.id, () => c.words.replaceAll("; ", "\n"));
      }
      root.dataset.clustersListed = body.rows.length;
    }
    fill();
  }
  const off = new Set(["vigilance raised", "vigilance restored", "compressed"]);
  function drawEvents() {
    const kinds = Object.entries(data.kinds).sort((a, b) => b[1] - a[1]);
    const total = kinds.reduce((sum, [, n]) => sum + n, 0);
    get("events-note").textContent = total > data.events.length ? `the latest ${count(data.events.length)} of ${count(total)}` : total ? `${count(total)}, the latest first` : "none";
    for (const [kind, n] of kinds) {
      const button = make("button", get("kinds"), `${kind} ${count(n)}`);
      button.setAttribute("aria-pressed", !off.has(kind));
      button.onclick = () => { off.has(kind) ? off.delete(kind) : off.add(kind); button.setAttribute("aria-pressed", !off.has(kind)); fill(); };
    }
    const head = make("tr", get("events").tHead);
    for (const title of ["sample", "event", "clusters", "amount", "index after"]) make("th", head, title, title === "event" || title === "clusters" ? "words" : "");
    function fill() {
      const body = get("events").tBodies[0];
      body.replaceChildren();
      for (const [sample, kind, ids, amount, after] of [...data.events].reverse()) {
        if (off.has(kind)) continue;
        const row = make("tr", body);
        make("td", row, count(sample));
        make("td", row, kind, "words");
        make("td", row, ids.map((id) => `#${id}`).join(kind === "split" ? " → + " : " → "), "words");
        make("td", row, number(amount));
        make("td", row, number(after));
      }
      root.dataset.eventsListed = body.rows.length;
    }
    fill();
  }

  // ---------------------------------------------------------------- the river
  const river = data.river;
  function ease(x0, x1, a0, a1) { const m = (x0 + x1) / 2; return `C${m},${a0} ${m},${a1} ${x1},${a1}`; }
  function drawRiver() {
    const box = get("river");
    box.replaceChildren();
    const once = times.length < 2; // a report from Python knows the end only
    for (const id of ["river", "charts"]) get(id).closest("section").hidden = once;
    root.dataset.bandsDrawn = river.bands.length;
    if (once) return;
    const width = box.clientWidth || 1000, height = 400;
    box.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const left = 8, right = width - 96, top = 8, bottom = height - 24;
    const T = timeScale(left, right);
    const Y = (v) => top + (1 - v) * (bottom - top);
    timeAxis(box, T, top, bottom, 8);
    const xs = river.columns.map(T);
    const text = (id, at) => () => {
      const origin = data.origins[id], end = data.ends[id];
      let text = nameOf(id);
      if (at) text += `\n${count(at)} samples at most`;
      if (origin) text += origin[1] >= 0 ? `\nsplit from ${origin[1]} at sample ${count(origin[0])}` : `\nborn at sample ${count(origin[0])}`;
      if (end) text += `\nwent into ${end[1]} at sample ${count(end[0])}`;
      return text;
    };
    const defs = svg("defs", {}, box);
    river.ribbons.forEach((r, i) => {
      const [x0, x1] = [xs[r.column], xs[r.column + 1]];
      const fade = svg("linearGradient", { id: `fade${i}` }, defs);
      svg("stop", { offset: "0", "stop-color": colour(r.source) }, fade);
      svg("stop", { offset: "1", "stop-color": colour(r.target) }, fade);
      const path = `M${x0},${Y(r.low[0])}${ease(x0, x1, Y(r.low[0]), Y(r.low[1]))}L${x1},${Y(r.high[1])}${ease(x1, x0, Y(r.high[1]), Y(r.high[0]))}Z`;
      const item = svg("path", { d: path, fill: `url(#fade${i})`, "fill-opacity": 0.55 }, box);
      watch(item, r.kind === "split" ? r.target : r.source, text(r.kind === "split" ? r.target : r.source));
    });
    const labels = [];
    for (const band of river.bands) {
      const x = (k) => xs[band.first + k];
      const last = band.low.length - 1;
      let path;
      if (last === 0) {
        // Seen once: a short piece around its moment.
        const half = 4;
        path = `M${x(0) - half},${Y(band.low[0])}H${x(0) + half}V${Y(band.high[0])}H${x(0) - half}Z`;
      } else {
        path = `M${x(0)},${Y(band.low[0])}`;
        for (let k = 1; k <= last; k++) path += ease(x(k - 1), x(k), Y(band.low[k - 1]), Y(band.low[k]));
        path += `L${x(last)},${Y(band.high[last])}`;
        for (let k = last; k > 0; k--) path += ease(x(k), x(k - 1), Y(band.high[k]), Y(band.high[k - 1]));
        path += "Z";
      }
      const shape = svg("path", { d: path, fill: colour(band.id), "fill-opacity": 0.88, stroke: colour(band.id), "stroke-width": 0.6 }, box);
      watch(shape, band.id, text(band.id, Math.max(...band.sizes)));
      // A dot where a cluster is born, unless it flows out of another.
      const flows = river.ribbons.some((r) => r.kind === "split" && r.target === band.id);
      if (band.first > 0 && !flows && band.id !== OTHERS) {
        svg("circle", { cx: x(0), cy: (Y(band.low[0]) + Y(band.high[0])) / 2, r: 3, fill: style("--card"), stroke: colour(band.id), "stroke-width": 1.6 }, box);
      }
      if (band.first + last === xs.length - 1) labels.push([(Y(band.low[last]) + Y(band.high[last])) / 2, band, Math.abs(Y(band.low[last]) - Y(band.high[last]))]);
    }
    let above = -Infinity;
    labels.sort((a, b) => a[0] - b[0]);
    for (const [y, band, thick] of labels) {
      if (y - above < 12 || thick < 1) continue;
      above = y;
      const full = band.id === OTHERS ? `${river.hidden} smaller` : nameOf(band.id);
      svg("text", { x: right + 7, y: y + 4 }, box, cut(full, 15));
    }
    get("river-note").textContent = "height: share of all samples so far; a dot marks a new cluster; bands join where clusters merged and part where one was split" + (river.hidden ? `; the grey band is ${river.hidden} smaller clusters, including some that have ended` : "");
    root.dataset.bandsDrawn = river.bands.length;
    root.dataset.ribbonsDrawn = river.ribbons.length;
  }

  // ---------------------------------------------------------------- curves over time
  const curves = [
    ["value", `index ${summary.index.name.toUpperCase()}`, "#2a7fc9"], ["clusters", "clusters k", "#1d9f77"],
    ["categories", "categories P", "#8a6fd1"],
    ["vigilance", data.self_tuning ? "vigilance: greatest cost of joining" : "vigilance in force", "#df6326"],
    ["tracker", "tracker v", "#c46aa3"],
  ];
  function drawCharts() {
    const box = get("charts");
    box.replaceChildren();
    let drawn = 0;
    // All of them first: how wide one is depends on how many there are.
    const areas = new Map();
    for (const [key, title] of curves) {
      if (key === "tracker" && data.self_tuning) continue;
      const chart = make("div", box, undefined, "chart");
      make("h3", chart, title);
      areas.set(key, svg("svg", { role: "img", "aria-label": title }, chart));
    }
    for (const [key, , ink] of curves) {
      const values = data.looks[key];
      if (!areas.has(key)) continue;
      const area = areas.get(key);
      const width = area.clientWidth || 400, height = 150;
      area.setAttribute("viewBox", `0 0 ${width} ${height}`);
      const T = timeScale(46, width - 8), top = 8, bottom = height - 22;
      const known = values.filter((v) => v !== null);
      if (!known.length) { svg("text", { x: 60, y: 60 }, area, "not defined yet: there is one cluster"); drawn++; continue; }
      let low = Math.min(...known), high = Math.max(...known);
      const decades = low > 0 && high / low > 100;
      if (!decades && low > 0 && low < 0.5 * high) low = 0;
      if (high === low) { high += Math.abs(high) * 0.1 || 1; low = Math.min(low, 0); }
      const f = (v) => (decades ? Math.log(v) : v);
      const Y = (v) => bottom - ((f(v) - f(low)) / (f(high) - f(low))) * (bottom - top);
      let marks = ticks(low, high, 4);
      if (key !== "value" && key !== "vigilance") marks = marks.filter(Number.isInteger);
      if (decades) {
        marks = [];
        const p0 = Math.ceil(Math.log10(low)), p1 = Math.floor(Math.log10(high)), every = Math.max(1, Math.ceil((p1 - p0 + 1) / 4));
        for (let p = p0; p <= p1; p += every) marks.push(Math.pow(10, p));
      }
      for (const v of marks) {
        svg("line", { x1: 46, x2: width - 8, y1: Y(v), y2: Y(v), class: "grid" }, area);
        svg("text", { x: 40, y: Y(v) + 4, "text-anchor": "end" }, area, brief(v));
      }
      timeAxis(area, T, top, bottom, 5);
      let path = "", pen = false;
      values.forEach((v, i) => {
        if (v === null) { pen = false; return; }
        path += `${pen ? "L" : "M"}${T(times[i]).toFixed(1)},${Y(v).toFixed(1)}`;
        pen = true;
      });
      svg("path", { d: path, fill: "none", stroke: ink, "stroke-width": 1.8, "stroke-linejoin": "round" }, area);
      if (values.length < 60) values.forEach((v, i) => { if (v !== null) svg("circle", { cx: T(times[i]), cy: Y(v), r: 2, fill: ink }, area); });
      const cursor = svg("line", { y1: top, y2: bottom, class: "cursor", visibility: "hidden" }, area);
      area.addEventListener("mousemove", (event) => {
        const x = event.clientX - area.getBoundingClientRect().left;
        let best = 0;
        times.forEach((n, i) => { if (Math.abs(T(n) - x) < Math.abs(T(times[best]) - x)) best = i; });
        cursor.setAttribute("x1", T(times[best]));
        cursor.setAttribute("x2", T(times[best]));
        cursor.setAttribute("visibility", "visible");
        say(event, `${number(values[best])}\nafter ${count(times[best])} samples`);
      });
      area.addEventListener("mouseleave", () => { hush(); cursor.setAttribute("visibility", "hidden"); });
      drawn++;
    }
    get("time-note").textContent = `samples learnt, ${logTime ? "logarithmic" : "linear"}; noted ${times.length} times`;
    root.dataset.chartsDrawn = drawn;
  }

  // ---------------------------------------------------------------- sizes
  function drawSizes() {
    const box = get("sizes");
    box.replaceChildren();
    const width = box.clientWidth || 600, height = 330;
    box.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const left = 50, right = width - 6, top = 10, bottom = height - 26;
    const high = Math.max(...clusters.map((c) => c.size)), low = Math.min(...clusters.map((c) => c.size));
    const logs = high / Math.max(1, low) > 200;
    const f = (v) => (logs ? Math.log(v / 0.7) : v);
    const Y = (v) => bottom - (f(v) / f(high)) * (bottom - top);
    const marks = logs ? [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].filter((v) => v >= low / 10 && v <= high) : ticks(0, high, 6);
    for (const v of marks) {
      svg("line", { x1: left, x2: right, y1: Y(v), y2: Y(v), class: "grid" }, box);
      svg("text", { x: left - 7, y: Y(v) + 4, "text-anchor": "end" }, box, brief(v));
    }
    const step = Math.min(90, (right - left) / clusters.length), thick = Math.max(1, step * (step > 6 ? 0.78 : 0.9));
    clusters.forEach((c, i) => {
      const x = left + i * step + (step - thick) / 2;
      const bar = svg("rect", { x, y: Y(c.size), width: thick, height: Math.max(1, bottom - Y(c.size)), fill: colour(c.id), rx: thick > 6 ? 3 : 0, "shape-rendering": thick > 6 ? "auto" : "crispEdges" }, box);
      watch(bar, c.id, () => `${nameOf(c.id)}\n${count(c.size)} samples, ${((100 * c.size) / summary.samples).toFixed(1)}%`);
      const text = c.name ? c.name.slice(0, Math.floor(step / 7)) : String(c.id);
      if (step > 7.5 * text.length + 2 && text) svg("text", { x: x + thick / 2, y: bottom + 16, "text-anchor": "middle" }, box, text);
    });
    if (step < 12) svg("text", { x: (left + right) / 2, y: bottom + 18, "text-anchor": "middle" }, box, `${clusters.length} clusters, the largest first`);
    get("sizes-note").textContent = `samples of each cluster${logs ? ", logarithmic" : ""}`;
    root.dataset.barsDrawn = clusters.length;
  }

  // ---------------------------------------------------------------- parameters
  function drawFacts() {
    const run = summary.run || {};
    const facts = [["streamart", summary.streamart], ["method", summary.method], ...Object.entries(summary.parameters)];
    if (run.seconds) facts.push(["seconds", run.seconds], ["rows learnt in this run", count(run.rows_learnt)], ["rows not used", count(run.rows_rejected)]);
    facts.push(["features", summary.features.length > 12 ? `${summary.features.slice(0, 12).join(", ")}, … (${summary.features.length})` : summary.features.join(", ")]);
    facts.push(["ids that ended", count(Object.keys(summary.aliases).length)]);
    for (const [name, value] of facts) {
      const line = make("div", get("facts"));
      make("span", line, name);
      make("b", line, value === null ? "None" : String(value));
    }
  }

  // ---------------------------------------------------------------- all of it
  function draw() { drawCards(); drawMap(); drawRiver(); drawCharts(); drawSizes(); mark(); }
  function setTheme(name) {
    root.dataset.theme = name;
    root.style.colorScheme = name;
    for (const swatch of document.querySelectorAll("[data-swatch]")) swatch.style.background = colour(Number(swatch.dataset.swatch));
    draw();
  }
  const scaleButton = get("scale");
  function setScale() { scaleButton.textContent = logTime ? "time: logarithmic" : "time: linear"; }
  scaleButton.onclick = () => { logTime = !logTime; setScale(); draw(); };
  const system = matchMedia("(prefers-color-scheme: dark)");
  get("theme").onclick = () => setTheme(isDark() ? "light" : "dark");
  system.addEventListener("change", () => setTheme(system.matches ? "dark" : "light"));
  root.dataset.theme = location.hash === "#dark" || (location.hash !== "#light" && system.matches) ? "dark" : "light";
  drawTiles();
  drawTold();
  drawColumns();
  drawLayers();
  drawClusters();
  drawEvents();
  drawFacts();
  setScale();
  setTheme(root.dataset.theme);
  // On paper: light, and with the typical rows.
  let before = null;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    setTheme("light");
    for (const box of document.querySelectorAll(".cluster details:first-of-type")) box.open = true;
  });
  addEventListener("afterprint", () => { if (before) setTheme(before); });
  let resized = 0;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(draw, 120); });
  root.dataset.drawn = "yes";
})();
