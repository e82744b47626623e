"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const PAGE = 50;
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";

  // Every text goes in through textContent: what an agent wrote is never read as markup.
  function make(tag, options = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
      if (name === "class") node.className = value;
      else if (name === "text") node.textContent = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  function draw(tag, options = {}, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(options)) name === "text" ? (node.textContent = value) : node.setAttribute(name, value);
    node.append(...children);
    return node;
  }
  const fixed = (value, places = 3) => Number(value).toFixed(places);
  const shown = (value) => (value === null || value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value));

  // What rows hold is the form of the database: money and decimals are integers, bools 0 and 1. `columns` says which.
  const asTools = (columns, table, column, value) => {
    const about = (columns ?? {})[table]?.[column];
    if (!about || !Number.isInteger(value)) return shown(value);
    return about.kind === "bool" ? String(Boolean(value)) : (value / 10 ** about.places).toFixed(about.places);
  };

  // ---- figures ----
  function meter(value, interval, kind = "") {
    const picture = draw("svg", { viewBox: "0 0 200 14", height: 14, preserveAspectRatio: "none", "aria-hidden": "true" });
    picture.append(draw("rect", { x: 0, y: 3, width: 200, height: 8, rx: 2, class: "track" }));
    picture.append(draw("rect", { x: 0, y: 3, width: 200 * value, height: 8, rx: 2, class: `fill ${kind}` }));
    if (interval) {
      const [low, high] = [200 * interval.low, 200 * interval.high];
      picture.append(draw("line", { x1: low, x2: high, y1: 7, y2: 7, class: "range", "vector-effect": "non-scaling-stroke" }));
      for (const x of [low, high]) picture.append(draw("line", { x1: x, x2: x, y1: 3, y2: 11, class: "range", "vector-effect": "non-scaling-stroke" }));
    }
    return picture;
  }
  let way = "environment";
  function drawSlices() {
    byId("ways").replaceChildren(...Object.keys(report.slices).map((name) =>
      make("button", { type: "button", "aria-pressed": String(name === way), text: name, onclick: () => { way = name; drawSlices(); byId("ways").querySelector("[aria-pressed=true]").focus(); } })));
    const lines = report.slices[way].map((one) => {
      const range = one.reward_interval;
      const title = `${one.tasks} tasks, ${one.runs} runs, reward ${fixed(one.reward)}, 95 % ${fixed(range.low)} to ${fixed(range.high)} (${range.method}), partial ${fixed(one.partial)}` + (one.invalid ? `, ${one.invalid} INVALID` : "") + (one.masked ? `, ${one.masked} masked` : "");
      const inner = [make("span", { class: "name", text: one.name || "none" }), meter(one.reward, range), make("span", { class: "value" }, fixed(one.reward, 2), make("small", { text: ` of ${one.tasks}` }))];
      if (way === "noise" || way === "persona") return make("div", { class: "barline", title }, ...inner);
      return make("button", { type: "button", class: "barline", title, "aria-label": `${one.name}: ${title}. Show these runs`, onclick: () => choose({ [way]: one.name }) }, ...inner);
    });
    byId("slices").replaceChildren(make("div", { class: "bars" }, ...lines), make("p", { class: "quiet", text: "Bar: mean reward. Line: its 95 % interval. “of n”: tasks." }));
  }
  function drawFailures() {
    const some = report.failures.filter((one) => one.main || one.also).sort((a, b) => b.main - a.main);
    const total = some.reduce((sum, one) => sum + one.main, 0);
    const lines = some.map((one) => make("button", { type: "button", class: "barline", title: one.meaning, "aria-label": `${one.label}: main reason of ${one.main} runs. Show these runs`, onclick: () => choose({ label: one.label }) },
      make("span", { class: "name", text: one.label }), meter(total ? one.main / total : 0, null, "bad"),
      make("span", { class: "value" }, String(one.main), make("small", { text: one.also ? ` +${one.also}` : "" }))));
    byId("failures").replaceChildren(lines.length ? make("div", { class: "bars" }, ...lines) : make("p", { text: "No run failed." }),
      lines.length ? make("p", { class: "quiet", text: "Each failed run has one main label; “+n” runs have this one besides." }) : "");
  }
  function drawPasses() {
    const passes = report.overall.passes;
    if (passes.length < 2) return;
    byId("passes-section").hidden = false;
    const x = (k) => 34 + ((k - 1) * 340) / (passes.length - 1), y = (value) => 150 - 135 * value;
    const picture = draw("svg", { viewBox: "0 0 400 176", role: "img", "aria-label": "pass at k and pass hat k by k; the table has the figures" });
    for (const value of [0, 0.5, 1]) picture.append(draw("line", { x1: 34, x2: 384, y1: y(value), y2: y(value), class: "axis" }), draw("text", { x: 4, y: y(value) + 4, text: fixed(value, 1) }));
    for (const name of ["at", "hat"]) {
      picture.append(draw("polyline", { points: passes.map((one) => `${x(one.k)},${y(one[name])}`).join(" "), class: name }));
      for (const one of passes) picture.append(draw("circle", { cx: x(one.k), cy: y(one[name]), r: 4, class: name }));
    }
    for (const one of passes) picture.append(draw("text", { x: x(one.k), y: 170, "text-anchor": "middle", text: `k=${one.k}` }));
    const rows = passes.map((one) => make("tr", {}, make("td", { text: one.k }), make("td", { class: "number", text: fixed(one.at) }), make("td", { class: "number", text: fixed(one.hat) }), make("td", { class: "number", text: one.tasks })));
    byId("passes").replaceChildren(picture, make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col", text: "k" }),
      make("th", { scope: "col", class: "number" }, make("span", { class: "key at" }), "pass@k"), make("th", { scope: "col", class: "number" }, make("span", { class: "key hat" }), "pass^k"),
      make("th", { scope: "col", class: "number", text: "tasks" }))), make("tbody", {}, ...rows)));
  }

  // ---- list of runs ----
  const FIELDS = { environment: "environment", kind: "kind", level: "level", verdict: "verdict", label: "why it failed" };
  const wanted = { environment: "", kind: "", level: "", verdict: "", label: "", text: "" };
  const controls = {};
  let room = PAGE;
  let chosen = [];
  function drawFilters() {
    const form = byId("filters");
    for (const [field, name] of Object.entries(FIELDS)) {
      const values = [...new Set(report.runs.map((run) => String(run[field])))].filter(Boolean).sort();
      const select = make("select", { name: field, onchange: () => { wanted[field] = select.value; room = PAGE; drawRuns(); } }, make("option", { value: "", text: "all" }), ...values.map((value) => make("option", { value, text: value })));
      controls[field] = select;
      form.append(make("label", {}, name, select));
    }
    const search = make("input", { type: "search", name: "text", placeholder: "task or run", oninput: () => { wanted.text = search.value.trim().toLowerCase(); room = PAGE; drawRuns(); } });
    controls.text = search;
    form.append(make("label", {}, "find", search), make("button", { type: "button", text: "Show all", onclick: () => choose({}) }));
    form.addEventListener("submit", (event) => event.preventDefault());
  }
  function choose(values) {
    for (const field of Object.keys(wanted)) {
      wanted[field] = values[field] ?? "";
      controls[field].value = wanted[field];
    }
    room = PAGE;
    drawRuns();
    byId("runs").scrollIntoView();
  }
  const fits = (run) => Object.keys(FIELDS).every((field) => !wanted[field] || String(run[field]) === wanted[field] || (field === "label" && run.also.includes(wanted.label)))
    && (!wanted.text || `${run.task} ${run.run}`.toLowerCase().includes(wanted.text));
  function drawRuns() {
    const found = report.runs.filter(fits);
    byId("list").tBodies[0].replaceChildren(...found.slice(0, room).map(line));
    byId("found").textContent = found.length > room ? `${found.length} of ${report.runs.length} runs, the first ${room} shown` : `${found.length} of ${report.runs.length} runs`;
    byId("more").hidden = found.length <= room;
  }
  const epochs = report.manifest.epochs;
  const called = (run) => (epochs > 1 ? `${run.task} · epoch ${run.epoch}` : run.task);
  function line(run) {
    const beside = chosen.includes(run.run);
    return make("tr", {},
      make("td", { class: "c-verdict" }, make("span", { class: `verdict ${run.verdict}`, text: run.verdict })),
      make("td", { class: "c-task" }, make("button", { type: "button", class: "task", text: called(run), onclick: () => open([run.run]) })),
      make("td", { class: "c-kind", "data-name": "kind", text: run.kind }), make("td", { class: "number c-level", "data-name": "level", text: run.level }),
      make("td", { class: "number c-partial", "data-name": "partial", text: fixed(run.partial, 2) }), make("td", { class: "number c-calls", "data-name": "calls", text: run.calls }),
      make("td", { class: "c-why", title: run.also.join(", ") }, run.label ? make("span", { class: "chip", text: run.label }) : run.masked ? `masked: ${run.masked}` : ""),
      make("td", { class: "c-beside" }, make("button", { type: "button", "aria-pressed": String(beside), "aria-label": `Set ${called(run)} beside another run`, text: "beside", onclick: () => toggle(run.run) })));
  }
  function toggle(name) {
    chosen = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name].slice(-2);
    const focused = document.activeElement?.getAttribute("aria-label");
    drawRuns();
    if (focused) [...byId("list").querySelectorAll("button")].find((one) => one.getAttribute("aria-label") === focused)?.focus();
    if (chosen.length === 2) open(chosen);
    else byId("found").textContent += chosen.length ? "; choose a second one to set beside it" : "";
  }

  // ---- one run, or two side by side ----
  function detail(name) {
    for (const node of document.querySelectorAll("script[data-run]")) if (node.dataset.run === name) return JSON.parse(node.textContent);
    return {};
  }
  function open(names) {
    const runs = names.map((name) => report.runs.find((run) => run.run === name)).filter(Boolean);
    byId("open-title").textContent = runs.length === 2 ? "Two runs" : "One run";
    byId("panes").replaceChildren(...runs.map((run) => pane(run, detail(run.run))));
    byId("open").hidden = false;
    byId("open").focus({ preventScroll: true });
    byId("open").scrollIntoView();
    history.replaceState(null, "", `#run=${runs.map((run) => encodeURIComponent(run.run)).join("+")}`);
  }
  function close() {
    byId("open").hidden = true;
    chosen = [];
    history.replaceState(null, "", "#runs");
    drawRuns();
    byId("runs").scrollIntoView();
    byId("list").querySelector("button")?.focus({ preventScroll: true });
  }
  function pane(run, inside) {
    const tokens = run.tokens ? `${run.tokens.input + run.tokens.output} tokens` : "";
    const facts = [run.environment, run.kind, `level ${run.level}`, `${run.calls} calls`, tokens, run.stopped === "finished" ? "" : run.stopped, run.try > 1 ? `attempt ${run.try}` : "", run.run].filter(Boolean);
    const parts = [make("p", { class: "meta" }, make("span", { class: `verdict ${run.verdict}`, text: run.verdict }), ...[run.label, ...run.also].filter(Boolean).map((text) => make("span", { class: "chip", text })))];
    parts.unshift(make("h3", { text: called(run) }));
    parts.push(make("p", { class: "quiet", text: facts.join(" · ") }));
    if (run.remark) parts.push(make("p", { text: run.remark }));
    if (inside.instruction) parts.push(make("blockquote", { text: inside.instruction }));
    if (inside.report) parts.push(...judged(inside.report));
    parts.push(make("h3", { text: "What happened" }));
    const calls = inside.calls ?? [];
    parts.push(calls.length ? make("ol", { class: "steps" }, ...calls.map((call) => step(call, inside.report?.columns))) : make("p", { class: "quiet", text: "No call was kept." }));
    if (inside.final) parts.push(make("h3", { text: "Last words" }), make("blockquote", { text: inside.final }));
    if (inside.gold) parts.push(due(inside.gold, inside.report?.columns));
    return make("article", { class: "pane", "aria-label": called(run) }, ...parts);
  }
  function step(call, columns) {
    const kind = call.outcome === "ok" ? (call.changes.length ? "changed" : "ok") : call.outcome;
    const title = make("div", { class: "title" }, make("span", { class: "quiet", text: call.seq }), make("span", { class: "mono", text: call.tool }));
    if (call.outcome !== "ok") title.append(make("span", { class: "verdict " + (call.outcome === "refused" ? "MASKED" : "FAIL"), text: call.outcome }));
    if (call.noise && shown(call.noise) !== "{}") title.append(make("span", { class: "chip", text: `noise: ${shown(call.noise)}` }));
    const parts = [title, spoken(call.arguments)];
    if (call.refusal && call.refusal.code) parts.push(make("p", { class: "args" }, make("b", { text: call.refusal.code }), ` ${call.refusal.message}`));
    parts.push(...call.changes.map((one) => change(one, columns)));
    if (call.result !== null && call.result !== undefined) parts.push(later("result", () => make("pre", { text: typeof call.result === "string" ? call.result : JSON.stringify(call.result, null, 1) })));
    return make("li", { class: `step ${kind}` }, ...parts);
  }
  function spoken(given) {
    if (given === null || typeof given !== "object" || Array.isArray(given)) return make("p", { class: "args", text: shown(given) });
    const node = make("p", { class: "args" });
    Object.entries(given).forEach(([name, value], number) => node.append(number ? ", " : "", `${name} `, make("b", { text: shown(value) })));
    return node;
  }
  function change(one, forms) {
    const columns = [...new Set([...Object.keys(one.before), ...Object.keys(one.after)])];
    const rows = columns.map((column) => {
      const cell = make("span");
      if (column in one.before) cell.append(make("del", { text: asTools(forms, one.table, column, one.before[column]) }), " ");
      if (column in one.after) cell.append(make("ins", { text: asTools(forms, one.table, column, one.after[column]) }));
      return make("div", { class: "row" }, make("span", { class: "quiet", text: column }), cell);
    });
    return make("div", { class: "diff" }, make("div", {}, make("b", { text: one.op }), ` ${one.table} `, make("span", { class: "mono", text: one.key })), ...rows);
  }
  // A result is written out only when it is opened: most never are.
  function later(name, build) {
    const node = make("details", {}, make("summary", { text: name }));
    node.addEventListener("toggle", () => { if (node.open && node.childElementCount === 1) node.append(build()); });
    return node;
  }
  function judged(found) {
    const parts = [make("h3", { text: "Checks" })];
    const idle = (one) => one.passed && one.counts === false;
    const value = (one, name) => asTools(found.columns, one.table, one.column, one[name]);
    const rows = (found.checks ?? []).map((one) => make("tr", {}, make("td", { class: idle(one) ? "quiet" : one.passed ? "holds" : "fails", text: idle(one) ? "not counted" : one.passed ? "✓ holds" : "✗ fails" }),
      make("td", { "data-name": "" , text: [one.table, one.key, one.column].filter(Boolean).join(" ") }),
      make("td", { "data-name": "due", text: value(one, "expected") }), make("td", { "data-name": "found", text: value(one, "actual") + (one.why ? ` (${one.why})` : "") })));
    if (rows.length) parts.push(make("table", { class: "checks" }, make("thead", {}, make("tr", {}, ...["", "where", "due", "found"].map((text) => make("th", { scope: "col", text })))), make("tbody", {}, ...rows)));
    if (found.reason) parts.push(make("p", { text: found.reason }));
    for (const one of found.collateral ?? []) parts.push(make("div", { class: "diff" }, make("div", { class: "fails", text: `nobody asked for: ${one.op} ${one.table} ${one.key}` }),
      ...Object.entries(one.values ?? {}).map(([column, value]) => make("div", { class: "row" }, make("span", { class: "quiet", text: column }), make("span", {}, make("ins", { text: asTools(found.columns, one.table, column, value) }))))));
    return parts;
  }
  function due(gold, columns) {
    const node = make("details", {}, make("summary", { text: "what was due" }));
    node.append(make("ol", { class: "steps" }, ...gold.calls.map((call) => make("li", { class: "step" }, make("div", { class: "title" }, make("span", { class: "mono", text: call.tool })), spoken(call.arguments)))), ...gold.changes.map((one) => change(one, columns)));
    return node;
  }

  drawSlices();
  drawFailures();
  drawPasses();
  drawFilters();
  drawRuns();
  byId("more").addEventListener("click", () => { room += 4 * PAGE; drawRuns(); });
  byId("close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !byId("open").hidden) close(); });
  const asked = location.hash.match(/^#run=(.+)$/);
  if (asked) {
    const names = asked[1].split("+").slice(0, 2).map((one) => { try { return decodeURIComponent(one); } catch { return ""; } }).filter((name) => report.runs.some((run) => run.run === name));
    if (names.length) open(names);
  }
})();
