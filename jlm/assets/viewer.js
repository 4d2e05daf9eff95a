"use strict";
// The program of the page: lays out the regions of a function after each pass that changed it, and follows values through them.

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const elk = new ELK();
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  // What is drawn at first takes about as long as this many nodes, the layers that edges cross counted as nodes, too: beyond it the
  // innermost conditionals and loops are collapsed.
  const MOST_NODES = 1500;
  // A region beyond this is shown as so many parts, each of nodes that follow each other, until they are opened.
  const MOST_IN_REGION = 800, PARTS = 12;
  const errors = [];
  window.addEventListener("error", (event) => errors.push(event.message));
  window.addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));

  const state = { function: 0, step: 0, chosen: null, node: null, collapsed: new Map(), opened: new Set(), matches: [], match: 0, views: [] };

  // ---- Graphs -------------------------------------------------------------------------------------------------------------

  // Tables over a snapshot: regions by id, definitions and uses of origins, and what is routed where.
  function tables(step) {
    if (step.tables) return step.tables;
    const regions = new Map(), values = new Map(), uses = new Map(), nodes = new Map(), routes = new Map(), owner = new Map(), home = new Map();
    const use = (origin, what) => { if (origin) (uses.get(origin) ?? uses.set(origin, []).get(origin)).push(what); };
    const route = (from, to) => {
      if (!from || !to) return;
      (routes.get(from) ?? routes.set(from, []).get(from)).push(to);
      (routes.get(to) ?? routes.set(to, []).get(to)).push(from);
    };
    for (const region of step.regions) {
      regions.set(region.id, region);
      region.arguments.forEach((argument) => values.set(argument.id, argument));
      for (const node of region.nodes) {
        nodes.set(node.id, node);
        home.set(node.id, region);
        node.outputs.forEach((output) => values.set(output.id, output));
        node.inputs.forEach((origin) => use(origin, node.id));
        (node.regions ?? []).forEach((inner) => owner.set(inner, node));
      }
      region.results.forEach((origin) => use(origin, region.id));
    }
    for (const node of nodes.values()) {
      for (const inner of (node.regions ?? []).map((id) => regions.get(id))) {
        const first = node.kind === "gamma" ? 1 : 0;
        inner.arguments.forEach((argument, k) => route(node.inputs[k + first], argument.id));
        inner.results.forEach((origin, k) => {
          if (node.kind === "gamma") route(origin, node.outputs[k]?.id);
          else if (k > 0) { route(origin, node.outputs[k - 1]?.id); route(origin, inner.arguments[k - 1]?.id); }
        });
      }
    }
    return step.tables = { regions, values, uses, nodes, routes, owner, home };
  }

  // All origins that an origin's value reaches by routing alone, in either direction.
  function routed(table, origin) {
    const seen = new Set([origin]), list = [origin];
    while (list.length) for (const next of table.routes.get(list.pop()) ?? []) if (!seen.has(next)) { seen.add(next); list.push(next); }
    seen.delete(origin);
    return seen;
  }

  // The structural nodes that are shown without their regions: the user's choice, or all beyond the budget, breadth first.
  function collapsedIn(name, step) {
    const known = state.collapsed.get(name);
    if (known) return known;
    const table = tables(step), collapsed = new Set();
    const queue = [step.regions[0]];
    const drawn = (region) => effort(region.nodes) > MOST_IN_REGION ? PARTS * PARTS : effort(region.nodes);
    let budget = MOST_NODES - drawn(queue[0]);
    for (let at = 0; at < queue.length; at++) for (const node of queue[at].nodes) if (node.regions) {
      const inner = node.regions.map((id) => table.regions.get(id));
      const cost = inner.reduce((sum, region) => sum + drawn(region), 0);
      if (cost > budget || effort(queue[at].nodes) > MOST_IN_REGION) { collapsed.add(node.id); continue; }
      budget -= cost;
      queue.push(...inner);
    }
    state.collapsed.set(name, collapsed);
    return collapsed;
  }

  // How much there is to lay out: nodes, and the layers that edges to them cross.
  const efforts = new WeakMap();
  function effort(nodes) {
    if (efforts.has(nodes)) return efforts.get(nodes);
    const layers = new Map(), layerOf = (origin) => layers.get(origin) ?? 0;
    let sum = nodes.length;
    for (const node of nodes) {
      const layer = 1 + Math.max(0, ...node.inputs.map(layerOf));
      for (const origin of node.inputs) sum += layer - layerOf(origin) - 1;
      for (const output of node.outputs) layers.set(output.id, layer);
    }
    efforts.set(nodes, sum);
    return sum;
  }

  // What is drawn of nodes that follow each other: these, or parts of them, of which those that were opened are taken apart likewise.
  function items(nodes, path) {
    if (nodes.length <= PARTS || effort(nodes) <= MOST_IN_REGION) return nodes;
    const list = [], size = Math.ceil(nodes.length / PARTS);
    for (let at = 0; at < nodes.length; at += size) {
      const id = `${path}.${at / size}`, part = nodes.slice(at, at + size);
      if (state.opened.has(id)) list.push(...items(part, id));
      else list.push({ id, kind: "part", nodes: part, text: `▸ ${part.length} nodes, ${part[0].id} … ${part[part.length - 1].id}` });
    }
    return list;
  }

  // Opens what a node is hidden in.
  function reveal(table, id) {
    const collapsed = collapsedIn(current().name, current().steps[state.step]);
    for (let node = table.nodes.get(id); node; ) {
      const region = table.home.get(node.id);
      let hidden;
      while ((hidden = items(region.nodes, region.id).find((item) => item.kind === "part" && item.nodes.includes(node)))) state.opened.add(hidden.id);
      node = table.owner.get(region.id);
      if (node) collapsed.delete(node.id);
    }
  }

  // ---- Layout -------------------------------------------------------------------------------------------------------------

  const PORT = 13, LINE = 18;
  // How wide a text is in the fonts of the style sheet, which differ between machines.
  const measured = new Map(), brush = document.createElement("canvas").getContext("2d");
  function widthOf(text, size, weight = "") {
    const key = `${weight}${size} ${text}`;
    if (!measured.has(key)) { brush.font = `${weight} ${size}px ui-monospace, monospace`; measured.set(key, Math.ceil(brush.measureText(text).width)); }
    return measured.get(key);
  }
  const short = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
  const label = (value) => value.kind === "state" ? value.type : short(`${value.name ?? value.id}: ${value.type}`, 26);

  function port(id, side, value, text, key) {
    const width = Math.max(PORT, widthOf(text, 9) + 6);
    return { id, width, height: PORT, layoutOptions: { "elk.port.side": side, "elk.port.borderOffset": String(-PORT) }, value, text, key };
  }

  const BOX = { "elk.portConstraints": "FIXED_ORDER", "elk.spacing.portPort": "4", "elk.portAlignment.default": "CENTER" };

  // ELK's ports on the southern side go from right to left when their order is fixed by index.
  function numbered(ports) {
    const north = ports.filter((p) => p.layoutOptions["elk.port.side"] === "NORTH"), south = ports.filter((p) => !north.includes(p));
    [...north, ...south.slice().reverse()].forEach((p, index) => p.layoutOptions["elk.port.index"] = String(index));
    return ports;
  }

  function regionBox(table, region, collapsed) {
    const ports = region.arguments.map((argument) => port("o" + argument.id, "NORTH", argument, label(argument), argument.id));
    region.results.forEach((origin, k) => ports.push(port(`s${region.id}_${k}`, "SOUTH", table.values.get(origin), origin ?? "?", origin)));
    const edges = [], drawn = items(region.nodes, region.id);
    // Parts have one port for all that they use and one for all that is used of them. What goes from one port to another is one edge.
    const parts = new Map(), bundles = new Map();
    for (const part of drawn) if (part.kind === "part") for (const node of part.nodes) for (const output of node.outputs) parts.set(output.id, part);
    const edge = (origin, target) => {
      if (!origin) return;
      const source = parts.has(origin) ? "o" + parts.get(origin).id : "o" + origin;
      if (source === "o" + origin && !target.startsWith("ip:")) return void edges.push({ id: "e" + target, sources: [source], targets: [target], key: origin, value: table.values.get(origin) });
      const known = bundles.get(`${source} ${target}`);
      if (known) known.keys.add(origin);
      else {
        const bundle = { id: `b${source}_${target}`, sources: [source], targets: [target], keys: new Set([origin]), value: table.values.get(origin) };
        bundles.set(`${source} ${target}`, bundle);
        edges.push(bundle);
      }
    };
    for (const item of drawn) {
      if (item.kind !== "part") item.inputs.forEach((origin, k) => edge(origin, `i${item.id}_${k}`));
      else for (const node of item.nodes) for (const origin of node.inputs) if (parts.get(origin) !== item) edge(origin, `ip:${item.id}`);
    }
    // What goes from an argument straight to a result passes a point inside: else it would be led around the region.
    const own = new Set(region.arguments.map((argument) => argument.id)), points = [];
    region.results.forEach((origin, k) => {
      const target = `s${region.id}_${k}`;
      if (!own.has(origin)) return edge(origin, target);
      const point = `p${region.id}_${k}`, value = table.values.get(origin);
      points.push({ id: point, kind: "point", width: 1, height: 1 });
      edge(origin, point);
      edges.push({ id: "e" + target, sources: [point], targets: [target], key: origin, value });
    });
    return {
      id: region.id, kind: "region", ports: numbered(ports), edges,
      children: [...drawn.map((item) => item.kind === "part" ? partBox(item) : nodeBox(table, item, collapsed)), ...points],
      layoutOptions: { ...BOX, "elk.algorithm": "layered", "elk.direction": "DOWN", "elk.padding": "[top=24,left=10,bottom=24,right=10]",
        "elk.nodeSize.constraints": "PORTS MINIMUM_SIZE", "elk.nodeSize.minimum": "(30,40)", "elk.layered.spacing.nodeNodeBetweenLayers": "22",
        "elk.spacing.nodeNode": "14", "elk.layered.considerModelOrder.strategy": "PREFER_NODES", "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF" },
    };
  }

  function partBox(part) {
    const width = widthOf(part.text, 12, "600") + 16;
    const ports = numbered([port(`ip:${part.id}`, "NORTH", null, "uses"), port("o" + part.id, "SOUTH", null, "is used")]);
    return { id: part.id, kind: "part", part, ports, text: part.text,
      layoutOptions: { ...BOX, "elk.nodeSize.constraints": "PORTS MINIMUM_SIZE", "elk.nodeSize.minimum": `(${width},${LINE + 2 * PORT + 6})` } };
  }

  function nodeBox(table, node, collapsed) {
    const inputs = node.inputs.map((origin, k) => port(`i${node.id}_${k}`, "NORTH", table.values.get(origin), origin ?? "?", origin));
    const outputs = node.outputs.map((output) => port("o" + output.id, "SOUTH", output, label(output), output.id));
    const box = { id: node.id, kind: node.kind, node, ports: numbered([...inputs, ...outputs]), layoutOptions: { ...BOX, "elk.nodeSize.constraints": "PORTS MINIMUM_SIZE" } };
    if (!node.regions || collapsed.has(node.id)) {
      const inside = (node.regions ?? []).reduce((sum, id) => sum + table.regions.get(id).nodes.length, 0);
      box.text = short(node.regions ? `▸ ${node.text} (${inside})` : node.text, 44);
      const width = widthOf(box.text, 12, "600") + 16;
      box.layoutOptions["elk.nodeSize.minimum"] = `(${width},${LINE + 2 * PORT + 6})`;
      return box;
    }
    box.text = `▾ ${node.text} ${node.id}`;
    box.children = node.regions.map((id) => regionBox(table, table.regions.get(id), collapsed));
    box.edges = [];
    const first = node.kind === "gamma" ? 1 : 0;
    const edge = (from, to, key) => box.edges.push({ id: `r${from}_${to}`, sources: [from], targets: [to], key, value: table.values.get(key) });
    for (const id of node.regions) {
      const inner = table.regions.get(id);
      inner.arguments.forEach((argument, k) => edge(`i${node.id}_${k + first}`, "o" + argument.id, node.inputs[k + first]));
      inner.results.forEach((origin, k) => {
        const output = node.outputs[node.kind === "gamma" ? k : k - 1];
        if (output && origin) edge(`s${id}_${k}`, "o" + output.id, origin);
      });
    }
    Object.assign(box.layoutOptions, { "elk.algorithm": "layered", "elk.direction": "DOWN", "elk.padding": "[top=44,left=10,bottom=30,right=10]",
      "elk.nodeSize.minimum": `(${widthOf(box.text, 12, "600") + 16},60)`, "elk.layered.spacing.nodeNodeBetweenLayers": "20", "elk.spacing.nodeNode": "14",
      "elk.layered.considerModelOrder.strategy": "PREFER_NODES", "elk.layered.crossingMinimization.forceNodeModelOrder": "true" });
    return box;
  }

  // ---- Drawing ------------------------------------------------------------------------------------------------------------

  function draw(parent, name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }

  function drawBox(view, parent, box) {
    const group = draw(parent, "g", { class: box.kind, transform: `translate(${box.x},${box.y})`, "data-id": box.id });
    draw(group, "rect", { class: "box", width: box.width, height: box.height, rx: 4 });
    if (box.node) view.groups.set(box.id, group);
    for (const child of box.children ?? []) drawBox(view, group, child);
    for (const edge of box.edges ?? []) for (const section of edge.sections ?? []) {
      const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
      const d = points.map((p, k) => `${k ? "L" : "M"}${p.x},${p.y}`).join("");
      const keys = edge.keys ? [...edge.keys] : [edge.key];
      draw(group, "path", { class: `edge ${edge.value?.kind ?? ""}`, d, "data-key": keys.join(" ") });
      const hit = draw(group, "path", { class: "hit", d });
      hit.addEventListener("click", (event) => { event.stopPropagation(); choose(keys[0]); });
      if (edge.keys) draw(hit, "title", {}, short(keys.join(", "), 200));
    }
    for (const p of box.ports ?? []) {
      const at = draw(group, "g", { class: `port ${p.value?.kind ?? ""}`, transform: `translate(${p.x},${p.y})`, "data-key": p.key ?? "" });
      draw(at, "rect", { width: p.width, height: p.height, rx: 3 }).addEventListener("click", (event) => { event.stopPropagation(); choose(p.key); });
      draw(at, "text", { x: p.width / 2, y: p.height - 3.5, "text-anchor": "middle" }, p.text);
      draw(at, "title", {}, p.value ? `${p.key}: ${p.value.type}` : p.key ?? "");
    }
    if (!box.text) return;
    const open = box.children !== undefined;
    const text = draw(group, "text", open ? { class: "title", x: 8, y: PORT + 17 } : { x: box.width / 2, y: box.height / 2 + 4, "text-anchor": "middle" }, box.text);
    if (box.part) {
      text.setAttribute("class", "title");
      return group.addEventListener("click", (event) => { event.stopPropagation(); state.opened.add(box.id); show(true); });
    }
    if (box.node.regions) {
      text.setAttribute("class", "title");
      text.addEventListener("click", (event) => { event.stopPropagation(); toggle(box.id); });
    }
    group.querySelector(":scope > .box").addEventListener("click", (event) => { event.stopPropagation(); chooseNode(box.id); });
  }

  // A panel: an SVG that can be dragged and zoomed.
  class Panel {
    constructor(step, title, fresh) {
      this.step = step;
      this.fresh = fresh;
      this.groups = new Map();
      this.element = document.createElement("div");
      this.element.className = "panel";
      const heading = document.createElement("h2");
      heading.textContent = title;
      this.element.appendChild(heading);
      this.svg = draw(this.element, "svg", {});
      this.canvas = draw(this.svg, "g", {});
      this.at = { x: 10, y: 10, scale: 1 };
      let from = null;
      this.svg.addEventListener("pointerdown", (event) => { from = { x: event.clientX - this.at.x, y: event.clientY - this.at.y }; });
      this.svg.addEventListener("pointermove", (event) => { if (from && event.buttons) this.move(event.clientX - from.x, event.clientY - from.y, this.at.scale); });
      window.addEventListener("pointerup", () => { from = null; });
      this.svg.addEventListener("click", () => choose(null));
      this.svg.addEventListener("wheel", (event) => {
        event.preventDefault();
        const frame = this.svg.getBoundingClientRect(), x = event.clientX - frame.left, y = event.clientY - frame.top;
        const scale = Math.min(4, Math.max(0.05, this.at.scale * Math.exp(-event.deltaY / 500))), factor = scale / this.at.scale;
        this.move(x - (x - this.at.x) * factor, y - (y - this.at.y) * factor, scale);
      }, { passive: false });
    }

    async layout(name) {
      const box = regionBox(tables(this.step), this.step.regions[0], collapsedIn(name, this.step));
      this.box = await elk.layout({ id: "top", children: [box], layoutOptions: { "elk.algorithm": "layered", "elk.direction": "DOWN" } });
      drawBox(this, this.canvas, { ...this.box, kind: "top" });
      if (this.fresh) for (const [id, group] of this.groups) if (!this.fresh.has(id)) group.classList.add("fresh");
    }

    move(x, y, scale) {
      this.at = { x, y, scale };
      this.canvas.setAttribute("transform", `translate(${x},${y}) scale(${scale})`);
    }

    // Shows all of it, or as much as can be read.
    fit(least = 0.05) {
      const frame = this.svg.getBoundingClientRect();
      const scale = Math.max(least, Math.min(1.2, (frame.width - 20) / this.box.width, (frame.height - 20) / this.box.height));
      this.move(Math.max(10, (frame.width - this.box.width * scale) / 2), 10, scale);
    }

    center(id) {
      const group = this.groups.get(id);
      if (!group) return;
      const frame = this.svg.getBoundingClientRect(), place = group.getBoundingClientRect();
      const dx = frame.left + frame.width / 2 - (place.left + place.width / 2), dy = frame.top + frame.height / 2 - (place.top + place.height / 2);
      this.move(this.at.x + dx, this.at.y + dy, this.at.scale);
    }

    mark() {
      const table = tables(this.step), reached = state.chosen ? routed(table, state.chosen) : new Set();
      for (const element of this.canvas.querySelectorAll("[data-key]")) {
        const keys = element.dataset.key.split(" ");
        element.classList.toggle("chosen", state.chosen !== null && keys.includes(state.chosen));
        element.classList.toggle("routed", keys.some((key) => reached.has(key)));
      }
      for (const [id, group] of this.groups) {
        group.classList.toggle("chosen", id === state.node);
        group.classList.toggle("found", state.matches.includes(id));
      }
    }
  }

  // ---- What the user does -------------------------------------------------------------------------------------------------

  const current = () => data.functions[state.function];
  let turn = 0;

  async function show(keepView) {
    const mine = ++turn, shown = current(), step = shown.steps[state.step], before = shown.steps[state.step - 1];
    const old = state.views[state.views.length - 1]?.at;
    const ids = (s) => new Set(s.regions.flatMap((region) => region.nodes.map((node) => node.id)));
    const panels = [];
    if (byId("both").checked && before) panels.push(new Panel(before, `before ${step.pass}`));
    panels.push(new Panel(step, `after ${step.pass}`, before && ids(before)));
    for (const panel of panels) await panel.layout(shown.name);
    if (mine !== turn) return;
    state.views = panels;
    byId("panels").replaceChildren(...panels.map((panel) => panel.element));
    for (const panel of panels) if (keepView && old) panel.move(old.x, old.y, old.scale); else panel.fit(0.7);
    for (const [index, item] of [...byId("steps").children].entries()) item.setAttribute("aria-current", index === state.step);
    byId("steps").children[state.step]?.scrollIntoView({ block: "nearest" });
    find(false);
    details();
  }

  function choose(origin) { state.chosen = origin ?? null; state.node = null; refresh(); }
  function chooseNode(id) { state.node = id; state.chosen = null; refresh(); }
  function refresh() { state.views.forEach((view) => view.mark()); details(); }

  function toggle(id) {
    const collapsed = state.collapsed.get(current().name);
    if (!collapsed.delete(id)) collapsed.add(id);
    show(true);
  }

  function all(collapse) {
    const nodes = tables(current().steps[state.step]).nodes.values();
    if (collapse) state.opened.clear();
    state.collapsed.set(current().name, new Set(collapse ? [...nodes].filter((node) => node.regions).map((node) => node.id) : []));
    show(false);
  }

  function find(move) {
    const words = byId("search").value.trim().toLowerCase(), table = tables(current().steps[state.step]);
    const hit = (node) => [node.id, node.text, ...node.outputs.flatMap((output) => [output.id, output.type])].some((text) => text.toLowerCase().includes(words));
    state.matches = words ? [...table.nodes.values()].filter(hit).map((node) => node.id) : [];
    byId("found").textContent = words ? `${state.matches.length} found` : "";
    state.views.forEach((view) => view.mark());
    if (!move || !state.matches.length) return;
    const id = state.matches[state.match++ % state.matches.length], center = () => state.views.forEach((view) => view.center(id));
    if (state.views.some((view) => view.groups.has(id))) return center();
    reveal(table, id);
    show(true).then(center);
  }

  function choosesFunction(index) {
    Object.assign(state, { function: index, step: 0, chosen: null, node: null });
    const list = byId("steps");
    byId("function").value = index;
    list.replaceChildren(...current().steps.map((step, k) => {
      const item = document.createElement("li"), size = document.createElement("small");
      const count = step.regions.reduce((sum, region) => sum + region.nodes.length, 0);
      size.textContent = `${count} nodes`;
      item.append(step.pass, size);
      item.title = step.rewrites ? `${step.rewrites} rewrites` : "";
      item.addEventListener("click", () => { state.step = k; show(false); });
      return item;
    }));
    show(false);
  }

  function details() {
    const parts = [], step = current().steps[state.step], table = tables(step);
    const heading = (text) => { const h = document.createElement("h2"); h.textContent = text; parts.push(h); };
    const pairs = (list) => {
      const dl = document.createElement("dl");
      for (const [name, value] of list) { const dt = document.createElement("dt"), dd = document.createElement("dd"); dt.textContent = name; dd.textContent = value; dl.append(dt, dd); }
      parts.push(dl);
    };
    const node = state.node && table.nodes.get(state.node);
    if (state.chosen) {
      const value = table.values.get(state.chosen);
      heading(`Value ${state.chosen}`);
      pairs([["type", value?.type ?? "gone in this step"], ["used by", (table.uses.get(state.chosen) ?? []).join(", ") || "nothing"],
        ["is also", [...routed(table, state.chosen)].join(", ") || "nothing else"], ["in steps", stepsWith((t) => t.values.has(state.chosen))]]);
    } else if (node) {
      heading(`Node ${node.id}`);
      pairs([["operation", node.text], ["inputs", node.inputs.join(", ") || "none"], ["outputs", node.outputs.map((o) => `${o.id}: ${o.type}`).join(", ") || "none"],
        ["in steps", stepsWith((t) => t.nodes.has(node.id))]]);
      if (node.place) source(parts, heading, node.place);
    }
    heading(`After ${step.pass}`);
    pairs([["nodes", table.nodes.size], ["regions", table.regions.size], ["rewrites", step.rewrites]]);
    if (step.remarks.length) {
      const list = document.createElement("ul");
      list.append(...step.remarks.map((remark) => { const li = document.createElement("li"); li.textContent = short(remark, 300); return li; }));
      parts.push(list);
    }
    heading("Recovered control flow");
    const flow = document.createElement("pre");
    flow.textContent = step.flow.map((block) => [`${block.id}:`, ...block.lines.map((line) => `  ${line}`), block.to.length ? `  → ${block.to.join(", ")}` : ""].filter(Boolean).join("\n")).join("\n");
    parts.push(flow);
    byId("details").replaceChildren(...parts);
  }

  const stepsWith = (holds) => current().steps.filter((step) => holds(tables(step))).map((step) => step.pass).join(", ");

  function source(parts, heading, [file, line]) {
    heading(`${file}:${line}`);
    const lines = data.files[file];
    if (!lines) return;
    const pre = document.createElement("pre");
    for (let k = Math.max(1, line - 4); k <= Math.min(lines.length, line + 4); k++) {
      const row = document.createElement(k === line ? "mark" : "span");
      row.textContent = `${String(k).padStart(4)}  ${lines[k - 1]}\n`;
      pre.append(row);
    }
    parts.push(pre);
  }

  // ---- A check of the picture, for tests: #check writes what it finds into the page -----------------------------------------

  function faults(view) {
    const found = [], inside = (inner, width, height, what) => {
      if (inner.x < -1 || inner.y < -1 || inner.x + inner.width > width + 1 || inner.y + inner.height > height + 1) found.push(what);
    };
    const overlaps = (a, b) => a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1 && a.y < b.y + b.height - 1 && b.y < a.y + a.height - 1;
    const pairs = (list, what) => list.forEach((a, k) => list.slice(k + 1).forEach((b) => { if (overlaps(a, b)) found.push(`${what}: ${a.id} and ${b.id} overlap`); }));
    const visit = (box) => {
      pairs(box.children ?? [], "boxes");
      pairs(box.ports ?? [], "ports");
      for (const child of box.children ?? []) { inside(child, box.width, box.height, `${child.id} leaves ${box.id}`); visit(child); }
      for (const p of box.ports ?? []) inside(p, box.width, box.height, `port ${p.id} leaves ${box.id}`);
      for (const edge of box.edges ?? []) if (!edge.sections?.length) found.push(`edge ${edge.id} is not drawn`);
    };
    visit(view.box);
    for (const text of view.canvas.querySelectorAll("text")) {
      const box = text.parentNode.querySelector(":scope > rect");
      if (box && text.getBBox().width > Number(box.getAttribute("width")) + 1) found.push(`label '${text.textContent}' of ${text.getBBox().width} does not fit ${box.getAttribute("width")}`);
    }
    return found;
  }

  async function check() {
    const report = { shown: 0, boxes: 0, most: 0, revealed: 0, faults: [], errors, pictured: [] };
    try { await checkAll(report); } catch (error) { errors.push(String(error)); }
    const output = document.createElement("script");
    output.type = "application/json";
    output.id = "check";
    output.textContent = JSON.stringify(report);
    document.body.appendChild(output);
  }

  async function checkAll(report) {
    for (let f = 0; f < data.functions.length; f++) {
      choosesFunction(f);
      for (let s = 0; s < current().steps.length; s++) {
        state.step = s;
        await show(false);
        report.shown++;
        report.most = Math.max(report.most, document.querySelectorAll("svg .box").length);
        for (const view of state.views) { report.boxes += view.groups.size; report.faults.push(...faults(view).map((fault) => `${current().name}, ${current().steps[s].pass}: ${fault}`)); }
      }
    }
    // The last node of the last function, wherever it is hidden.
    const table = tables(current().steps[state.step]), last = [...table.nodes.keys()].pop();
    if (last) {
      reveal(table, last);
      await show(true);
      report.revealed = state.views.filter((view) => view.groups.has(last)).length;
      for (const view of state.views) report.faults.push(...faults(view).map((fault) => `with ${last}: ${fault}`));
    }
    const origin = table.values.keys().next().value;
    if (origin) { choose(origin); report.chosen = document.querySelectorAll("svg .chosen").length; }
    report.pictured = pictured();
  }

  // The boxes of which all can be seen, in pixels of the window, with their colours.
  function pictured() {
    const found = [];
    for (const view of state.views) {
      const window = view.canvas.closest("svg").getBoundingClientRect();
      for (const box of view.canvas.querySelectorAll(".box")) {
        const { left, top, right, bottom } = box.getBoundingClientRect(), style = getComputedStyle(box);
        if (right - left < 8 || left < window.left || top < window.top || right > window.right || bottom > window.bottom) continue;
        if (style.strokeDasharray === "none") found.push({ left, top, right, bottom, border: style.stroke, inner: style.fill });
      }
    }
    return found;
  }

  // ---- Start --------------------------------------------------------------------------------------------------------------

  byId("module").textContent = data.module;
  document.title = `${data.module} – RVSDG`;
  byId("function").append(...data.functions.map((f, index) => new Option(`${f.name} (${f.steps.length} steps)`, index)));
  byId("times").append(...data.passes.map((pass) => {
    const row = document.createElement("tr"), name = document.createElement("td"), time = document.createElement("td");
    name.textContent = pass.pass;
    time.textContent = `${(pass.seconds * 1000).toFixed(2)} ms`;
    time.className = "number";
    row.title = `changed something in ${pass.changed} of ${pass.executions} executions`;
    row.append(name, time);
    return row;
  }));
  byId("function").addEventListener("change", (event) => choosesFunction(Number(event.target.value)));
  byId("both").addEventListener("change", () => show(false));
  byId("fit").addEventListener("click", () => state.views.forEach((view) => view.fit()));
  byId("collapse").addEventListener("click", () => all(true));
  byId("expand").addEventListener("click", () => all(false));
  byId("search").addEventListener("input", () => { state.match = 0; find(false); });
  byId("search").addEventListener("keydown", (event) => { if (event.key === "Enter") find(true); });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select")) return;
    const go = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (event.key === "0") state.views.forEach((view) => view.fit());
    if (!go) return;
    event.preventDefault();
    state.step = Math.min(current().steps.length - 1, Math.max(0, state.step + go));
    show(true);
  });
  if (!data.functions.length) byId("panels").textContent = "No function has a graph.";
  else if (location.hash === "#check") check();
  else choosesFunction(data.functions.reduce((best, f, index) => f.steps.length > data.functions[best].steps.length ? index : best, 0));
})();
