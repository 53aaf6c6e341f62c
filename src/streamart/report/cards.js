  // ---------------------------------------------------------------- cards: what each cluster is
  const AT_FIRST = 12;
  let cardsShown = AT_FIRST;
  function isWanted(c) {
    const wanted = get("find").value.trim().toLowerCase();
    if (/^#?\d+$/.test(wanted)) return String(c.id) === wanted.replace("#", "");
    return [c.name || c.suggested_name, c.words].some((text) => text.toLowerCase().includes(wanted));
  }
  function drawCards() {
    const box = get("cards"), more = get("more"), found = clusters.filter(isWanted);
    box.replaceChildren();
    for (const c of found.slice(0, cardsShown)) drawCard(box, c);
    if (!found.length) make("p", box, "No cluster has this id, name or feature.", "note");
    const left = found.length - cardsShown;
    more.hidden = left <= 0;
    more.textContent = `show ${count(Math.min(left, 48))} more of ${count(left)}`;
    more.onclick = () => { cardsShown += 48; drawCards(); };
    get("cards-note").textContent = "the largest first; bars: the median here (dot) and where most of it lies elsewhere (grey)";
    root.dataset.cardsDrawn = box.querySelectorAll("article").length;
  }
  function drawCard(box, c) {
    const card = make("article", box, undefined, "card cluster");
    card.tabIndex = 0;
    card.setAttribute("aria-label", `cluster ${c.id}: ${c.words}`);
    const head = make("h3", card);
    const swatch = make("span", head, "", "swatch");
    swatch.dataset.swatch = c.id;
    swatch.style.background = colour(c.id);
    head.append(`#${c.id} `);
    make("span", head, c.name || c.suggested_name, c.name ? "" : "note");
    const seen = c.first_time && c.last_time ? `${c.first_time} to ${c.last_time}` : `rows ${count(c.first_seen)} to ${count(c.last_seen)}`;
    make("p", card, `${count(c.size)} samples, ${((100 * c.size) / summary.samples).toFixed(1)}%; ${seen}`, "note");
    drawSpark(card, c);
    if (!c.profile.length) make("p", card, "the only cluster", "note");
    for (const feature of c.profile.slice(0, 4)) drawBar(card, c, feature);
    for (const kind of ["typical", "unusual"]) if (c[kind].length) drawRows(card, c, kind);
    watch(card, c.id, null);
    card.addEventListener("focus", () => light(c.id));
    card.addEventListener("blur", () => light(null));
    card.addEventListener("keydown", (event) => {
      if (event.target !== card) return;
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(c.id); }
    });
  }
  function drawRows(card, c, kind) {
    const words = (data.rows[c.id] || {})[kind] || [];
    const title = `${kind}: ${c[kind].join(", ")}`;
    if (!words.some(Boolean)) { make("p", card, title, "note rows"); return; }
    const box = make("details", card, undefined, "note rows");
    make("summary", box, title);
    c[kind].forEach((row, i) => { if (words[i]) make("p", box, `${row}: ${words[i]}`); });
    box.addEventListener("click", (event) => event.stopPropagation());
  }
  function drawSpark(card, c) {
    const sizes = data.sizes.of[c.id];
    if (!sizes || sizes.length < 3) return;
    const width = 240, height = 34, high = Math.max(...sizes.map((v) => v || 0)) || 1;
    const area = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "spark", role: "img", "aria-label": "size over time", preserveAspectRatio: "none" }, card);
    const X = (i) => (data.sizes.n[i] / data.sizes.n[data.sizes.n.length - 1]) * width;
    let path = `M${X(0)},${height}`;
    sizes.forEach((v, i) => { path += `L${X(i).toFixed(1)},${(height - 2 - ((v || 0) / high) * (height - 4)).toFixed(1)}`; });
    svg("path", { d: `${path}L${width},${height}Z`, fill: colour(c.id), "fill-opacity": 0.35, stroke: colour(c.id), "stroke-width": 1 }, area);
  }
  function drawBar(card, c, f) {
    const line = make("div", card, undefined, "bar");
    make("span", line, f.words);
    const low = Math.min(f.middle - f.spread, f.elsewhere - f.elsewhere_spread);
    const high = Math.max(f.middle + f.spread, f.elsewhere + f.elsewhere_spread);
    const X = (v) => 4 + (high > low ? (v - low) / (high - low) : 0.5) * 232;
    const area = svg("svg", { viewBox: "0 0 240 12", preserveAspectRatio: "none", "aria-hidden": "true" }, line);
    svg("rect", { x: 0, y: 5, width: 240, height: 2, fill: style("--grid") }, area);
    svg("rect", { x: X(f.elsewhere - f.elsewhere_spread), y: 3.5, width: Math.max(3, X(f.elsewhere + f.elsewhere_spread) - X(f.elsewhere - f.elsewhere_spread)), height: 5, rx: 2, fill: style("--soft"), "fill-opacity": 0.4 }, area);
    svg("rect", { x: X(f.middle - f.spread), y: 4.5, width: Math.max(2, X(f.middle + f.spread) - X(f.middle - f.spread)), height: 3, fill: colour(c.id) }, area);
    svg("circle", { cx: X(f.middle), cy: 6, r: 4, fill: colour(c.id) }, area);
  }
  function drawTold() {
    for (const [id, lines, none] of [["advice", data.advice, "Nothing: the clusters have names, and none looks doubtful."], ["news", data.news, "Nothing was recorded."]]) {
      for (const line of lines.length ? lines : [none]) make("li", get(id), line);
    }
  }
  function drawColumns() {
    const head = make("tr", get("columns").tHead);
    for (const title of ["column", "read as", "because"]) make("th", head, title, "words");
    for (const column of summary.columns) {
      const row = make("tr", get("columns").tBodies[0], undefined, column.used ? "" : "unused");
      for (const text of [column.name, column.kind, column.reason + (column.used ? "" : "; left out")]) make("td", row, text, "words");
    }
  }

