// Shows the operations of the boxes in the picture. All text goes in as text, never as markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const [OPERATION, TYPE, KIND, OUTPUTS, NAMES, BYTES, SOURCE, GROUP] = [0, 1, 2, 3, 4, 5, 6, 7];
  const PAGE = 300, ROW = 26, ARCS = 74;
  const { nodes, groups, cells } = data;
  const at = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key in element && key !== "style") element[key] = value;
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  // ---- the data, indexed
  const inputs = nodes.map(() => []), readers = nodes.map(() => []);
  for (let k = 0; k < data.edges.length; k += 3) {
    const [source, output, target] = data.edges.slice(k, k + 3);
    inputs[target].push([source, output]);
    readers[source].push(target);
  }
  const cellOf = new Array(nodes.length).fill(0);
  cells.forEach((cell, number) => cell.nodes.forEach((n) => { cellOf[n] = number; }));
  const members = groups.map(() => []);
  nodes.forEach((node, n) => members[node[GROUP]].push(n));
  const children = groups.map(() => []);
  groups.forEach((group, g) => { if (group.parent !== null) children[group.parent].push(g); });
  const boxes = cells.map((_, number) => document.querySelector(`[data-cell="${number}"]`));
  const wires = [...document.querySelectorAll(".tg-wire")];

  // ---- words
  const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
  const bytes = (n) => {
    if (n === null) return "freed";
    const unit = n < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(n) / 10));
    return unit ? `${(n / 1024 ** unit).toFixed(1)} ${["", "KiB", "MiB", "GiB", "TiB"][unit]}` : `${n} B`;
  };
  const total = (list) => list.some((n) => nodes[n][BYTES] === null)
    ? null : list.reduce((sum, n) => sum + nodes[n][BYTES], 0);
  const called = (n) => nodes[n][NAMES].length ? nodes[n][NAMES].join(", ") : nodes[n][OPERATION];
  const where = (g) => {
    const { parent, label } = groups[g];
    return parent === null ? label : `${where(parent)}, ${label}`;
  };
  const colour = (kind) => `var(--${kind})`;

  // ---- gradient norms
  const norms = data.norms;
  const norm = (n) => norms && n in norms ? Number(String(norms[n]).replace("inf", "Infinity")) : null;
  const isExit = (list) => {
    const inside = new Set(list);
    return (n) => data.outputs.includes(n) || !readers[n].every((r) => inside.has(r));
  };
  const groupNorm = (list) => {  // of the gradient that enters a group by what leaves it forward
    const values = list.filter(isExit(list)).map(norm).filter((value) => value !== null);
    return values.length ? Math.hypot(...values) : null;
  };
  const positive = norms ? nodes.map((_, n) => norm(n)).filter((v) => v > 0 && Number.isFinite(v)) : [];
  const low = Math.log10(positive.reduce((a, b) => Math.min(a, b), Infinity));
  const high = Math.log10(positive.reduce((a, b) => Math.max(a, b), 0));
  const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];  // viridis
  const ramp = (share) => {
    const place = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1), k = Math.min(Math.floor(place), STOPS.length - 2);
    return STOPS[k].map((c, i) => Math.round(c + (STOPS[k + 1][i] - c) * (place - k)));
  };
  const paint = (value) => {  // [background, text]
    if (value === null) return null;
    if (!Number.isFinite(value)) return ["#c2185b", "#fff"];
    if (value === 0) return ["#8b93a0", "#fff"];
    const rgb = ramp(high > low ? (Math.log10(value) - low) / (high - low) : 1);
    const light = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 140;
    return [`rgb(${rgb})`, light ? "#111" : "#fff"];
  };
  const spelled = (value) => value === 0 || !Number.isFinite(value) ? String(value) : value.toExponential(1);

  // ---- the tooltip
  const tip = at("tip");
  const show = (element, title, lines) => {
    tip.replaceChildren(make("b", { textContent: title }), "\n" + lines.filter(Boolean).join("\n"));
    tip.hidden = false;
    const box = element.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const below = box.bottom + 8 + size.height < innerHeight;
    tip.style.left = `${Math.max(6, Math.min(box.left, innerWidth - size.width - 6))}px`;
    tip.style.top = `${below ? box.bottom + 8 : Math.max(6, box.top - 8 - size.height)}px`;
  };
  const hide = () => { tip.hidden = true; };
  const hover = (element, begin, end = () => {}) => {
    for (const event of ["mouseenter", "focus"]) element.addEventListener(event, begin);
    for (const event of ["mouseleave", "blur"]) element.addEventListener(event, () => { hide(); end(); });
  };
  const few = (list, words) => list.length > 4 ? `${list.slice(0, 4).map(words).join("; ")}; ...` : list.map(words).join("; ");

  function tellNode(element, n) {
    const node = nodes[n], value = norm(n);
    show(element, called(n), [
      `${node[OPERATION]}  (${node[TYPE]})`,
      `shape ${node[OUTPUTS].join("; ") || "unknown"}`,
      node[KIND] === "leaf" ? "" : `saves ${bytes(node[BYTES])}`,
      value === null ? "" : `gradient norm ${spelled(value)}`,
      node[SOURCE] ? `line ${node[SOURCE]}` : "",
      inputs[n].length ? `reads ${few(inputs[n], ([m]) => `${called(m)} (${where(nodes[m][GROUP])})`)}` : "",
      readers[n].length ? `read by ${few(readers[n], (m) => `${called(m)} (${where(nodes[m][GROUP])})`)}` : "an output",
    ]);
  }

  function tellCell(element, number) {
    const list = cells[number].nodes, value = groupNorm(list);
    const kinds = new Map();
    for (const n of list) kinds.set(nodes[n][OPERATION], (kinds.get(nodes[n][OPERATION]) || 0) + 1);
    const often = [...kinds].sort((a, b) => b[1] - a[1]);
    const names = list.flatMap((n) => nodes[n][NAMES].map((name, k) => `${name} ${(nodes[n][OUTPUTS][k] || "")}`));
    const lines = new Set(list.map((n) => nodes[n][SOURCE]).filter(Boolean));
    show(element, `${cells[number].title}: ${count(list.length, "node")}`, [
      few(often, ([what, times]) => times > 1 ? `${what} \u00d7${times}` : what),
      list.length === 1 ? `shape ${nodes[list[0]][OUTPUTS].join("; ")}` : "",
      names.length ? few(names, String) : "",
      `saves ${bytes(total(list))}`,
      value === null ? "" : `gradient norm ${spelled(value)}`,
      lines.size ? `line ${few([...lines], String)}` : "",
    ]);
  }

  // ---- details
  const details = at("details");
  let opened = -1;

  function mark(number) {
    opened = number;
    boxes.forEach((box, k) => {
      box.classList.toggle("open", k === number);
      box.setAttribute("aria-expanded", String(k === number));
    });
  }

  function neighbours(title, tensors) {
    const buttons = [...tensors].map(([g, times]) => {
      const button = make("button", { type: "button", textContent: `${where(g)} \u00b7 ${times}` });
      button.style.borderLeftColor = colour(groups[g].kind);
      button.addEventListener("click", () => openGroup(g));
      return button;
    });
    return buttons.length ? [make("div", { className: "near" }, make("span", { className: "lesser", textContent: title }), ...buttons)] : [];
  }

  function openGroup(g, node = -1, only = members[g]) {
    const list = only, inside = new Set(list), from = new Map(), to = new Map();
    for (const n of list) {
      for (const [m] of inputs[n]) if (!inside.has(m)) from.set(nodes[m][GROUP], (from.get(nodes[m][GROUP]) || 0) + 1);
      for (const m of readers[n]) if (!inside.has(m)) to.set(nodes[m][GROUP], (to.get(nodes[m][GROUP]) || 0) + 1);
    }
    mark(node >= 0 ? cellOf[node] : list.length ? cellOf[list[0]] : -1);
    const value = groupNorm(list);
    details.replaceChildren(
      make("h2", { textContent: where(g) }),
      make("div", { className: "lesser", textContent: [count(list.length, "node"), `${bytes(total(list))} saved`, value === null ? "" : `gradient norm ${spelled(value)}`].filter(Boolean).join(" \u00b7 ") }),
      ...neighbours("reads", from), ...neighbours("read by", to),
      operations(list, node),
    );
    details.scrollTop = 0;
    const row = details.querySelector(".found");
    if (row) row.scrollIntoView({ block: "center" });
  }

  function operations(list, node) {
    const place = new Map(list.map((n, k) => [n, k]));
    const body = make("div", { className: "operations" });
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "arcs");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("width", ARCS);
    const more = make("button", { type: "button" });
    body.append(svg);
    let done = 0;
    const grow = () => {
      const end = Math.min(list.length, done + PAGE);
      for (; done < end; done += 1) body.append(operation(list[done], svg));
      svg.setAttribute("height", done * ROW);
      svg.replaceChildren(...list.slice(0, done).flatMap((n) => inputs[n]
        .filter(([m]) => place.has(m))
        .map(([m]) => arc(place.get(m), place.get(n), m, n))));
      more.textContent = `show more of ${list.length.toLocaleString("en")}`;
      more.hidden = done >= list.length;
    };
    more.addEventListener("click", grow);
    do grow(); while (node >= 0 && place.get(node) >= done);
    const row = body.querySelector(`[data-node="${node}"]`);
    if (row) row.classList.add("found");
    return make("div", { className: "scroll" }, body, more);
  }

  function arc(a, b, source, target) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const [y1, y2] = [(a + 0.5) * ROW, (b + 0.5) * ROW];
    const x = ARCS - Math.min(ARCS * 1.25, 10 + 9 * Math.sqrt(b - a));
    path.setAttribute("d", `M${ARCS - 4},${y1 + 3}C${x},${y1} ${x},${y2} ${ARCS - 4},${y2 - 3}m-4,-3l4,3l-4,3`);
    path.dataset.source = source;
    path.dataset.target = target;
    return path;
  }

  function operation(n, svg) {
    const node = nodes[n];
    const what = make("span", { className: "what" });
    if (node[NAMES].length) what.append(make("span", { className: "name", textContent: called(n) }));
    what.append(node[OPERATION]);
    const row = make("div", { className: "operation", tabIndex: 0, "data-node": n }, what,
      make("span", { className: "shape", textContent: node[OUTPUTS].join("; ") }),
      make("span", { className: "bytes", textContent: norm(n) === null || !at("by-norm").checked ? (node[BYTES] === 0 ? "" : bytes(node[BYTES])) : spelled(norm(n)) }));
    const dot = at("by-norm").checked && paint(norm(n));
    row.style.setProperty("--dot", dot ? dot[0] : colour(groups[node[GROUP]].kind));
    hover(row, () => {
      tellNode(row, n);
      svg.classList.add("dim");
      for (const path of svg.children) path.classList.toggle("lit", +path.dataset.source === n || +path.dataset.target === n);
    }, () => {
      svg.classList.remove("dim");
      for (const path of svg.children) path.classList.remove("lit");
    });
    return row;
  }

  // A table of steps: what is folded in the picture is reachable here.
  function openSteps(steps, title, number = -1) {
    mark(number);
    const kinds = [...new Set(steps.flatMap((s) => [s, ...children[s]]).filter((g) => members[g].length).map((g) => groups[g].kind))];
    const table = make("table", {}, make("tr", {}, make("th", { textContent: "step" }),
      ...kinds.map((kind) => make("th", { textContent: kind })), make("th", { textContent: "saved" })));
    const listed = new Set(steps);
    for (const s of steps) {
      let depth = 0;  // how many of the steps above it lies in
      for (let g = groups[s].parent; g !== null; g = groups[g].parent) depth += listed.has(g);
      const head = make("td", { textContent: depth ? groups[s].label : where(s) });
      head.style.paddingLeft = `${6 + 18 * depth}px`;
      table.append(make("tr", {}, head, ...kinds.map((kind) => {
        const cell = make("td");
        for (const g of [s, ...children[s]]) {
          if (groups[g].kind !== kind || !members[g].length) continue;
          const value = groupNorm(members[g]), colours = at("by-norm").checked && paint(value);
          const button = make("button", { type: "button", textContent: at("by-norm").checked && value !== null ? spelled(value) : members[g].length });
          button.style.borderLeftColor = colour(kind);
          if (colours) [button.style.background, button.style.color] = colours;
          button.addEventListener("click", () => openGroup(g));
          hover(button, () => show(button, where(g), [count(members[g].length, "node"), `saves ${bytes(total(members[g]))}`, value === null ? "" : `gradient norm ${spelled(value)}`]));
          cell.append(button);
        }
        return cell;
      }), make("td", { className: "lesser", textContent: bytes(groups[s].bytes) })));
    }
    details.replaceChildren(make("h2", { textContent: title }),
      make("div", { className: "lesser", textContent: "Numbers of operations, or gradient norms; press one to open it." }),
      make("div", { className: "scroll" }, table));
    details.scrollTop = 0;
  }

  function openCell(number) {
    const cell = cells[number];
    if (cell.nodes.length === 1) openGroup(nodes[cell.nodes[0]][GROUP], cell.nodes[0]);
    else if (cell.groups.length === 1 || cell.kind === "inputs") openGroup(cell.groups[0], -1, cell.nodes);
    else openSteps(cell.groups.map((g) => groups[g].kind === "step" ? g : groups[g].parent), cell.title, number);
    if (innerWidth <= 900) details.scrollIntoView({ behavior: "smooth", block: "start" });
  }

  // ---- the picture
  boxes.forEach((box, number) => {
    box.querySelector("title").remove();
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "button");
    box.setAttribute("aria-label", `${cells[number].title}, ${count(cells[number].nodes.length, "node")}`);
    box.addEventListener("click", () => openCell(number));
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") openCell(number);
      else if (event.key.startsWith("Arrow")) step(number, event.key);
      else return;
      event.preventDefault();
    });
    hover(box, () => {
      tellCell(box, number);
      document.querySelector(".tg").classList.add("dim");
      for (const wire of wires) wire.classList.toggle("lit", +wire.dataset.source === number || +wire.dataset.target === number);
    }, () => {
      document.querySelector(".tg").classList.remove("dim");
      for (const wire of wires) wire.classList.remove("lit");
    });
  });

  function step(number, key) {  // to the nearest box in a direction
    const centre = (box) => { const r = box.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; };
    const [x, y] = centre(boxes[number]);
    const across = key === "ArrowLeft" || key === "ArrowRight", sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    let best = null, least = Infinity;
    for (const box of boxes) {
      const [u, v] = centre(box), along = sign * (across ? u - x : v - y), aside = Math.abs(across ? v - y : u - x);
      if (along > 5 && along + 4 * aside < least) [best, least] = [box, along + 4 * aside];
    }
    if (best) best.focus();
  }

  // ---- search
  const search = at("search"), results = at("results");
  const find = () => {
    const wanted = search.value.trim().toLowerCase();
    const matches = [];
    const hit = new Set();
    if (wanted) {
      const rank = (n) => nodes[n][NAMES].some((name) => name.toLowerCase().includes(wanted)) ? 0
        : nodes[n][OPERATION].toLowerCase().includes(wanted) || nodes[n][TYPE].toLowerCase().includes(wanted) ? 1
        : (nodes[n][SOURCE] || "").toLowerCase().includes(wanted) ? 2 : 3;
      nodes.forEach((_, n) => {
        const r = rank(n);
        if (r < 3) { matches.push([r, n]); hit.add(cellOf[n]); }
      });
      matches.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    }
    boxes.forEach((box, k) => box.classList.toggle("found", hit.has(k)));
    results.replaceChildren(...matches.slice(0, 40).map(([, n]) => {
      const button = make("button", { type: "button" }, called(n), " ", make("small", { textContent: where(nodes[n][GROUP]) }));
      button.addEventListener("click", () => { results.hidden = true; openGroup(nodes[n][GROUP], n); });
      return make("li", {}, button);
    }));
    if (wanted) results.prepend(make("li", { className: "lesser", textContent: matches.length ? `${matches.length.toLocaleString("en")} found` : "nothing found" }));
    results.hidden = !wanted;
  };
  search.addEventListener("input", find);
  search.addEventListener("focus", find);
  search.addEventListener("keydown", (event) => {
    const first = results.querySelector("button");
    if (event.key === "Enter" && first) first.click();
    if (event.key === "ArrowDown" && first) { first.focus(); event.preventDefault(); }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) results.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { hide(); results.hidden = true; }
    if (event.key === "/" && document.activeElement !== search) { search.focus(); event.preventDefault(); }
  });
  addEventListener("scroll", hide, { passive: true });

  // ---- colour by gradient norm
  const byNorm = at("by-norm");
  let again = () => {};
  if (norms) {
    at("by-norm-label").hidden = false;
    at("low").textContent = positive.length ? (10 ** low).toExponential(1) : "";
    at("high").textContent = positive.length ? (10 ** high).toExponential(1) : "";
    at("legend").querySelector("i").style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((s) => `rgb(${ramp(s)})`)})`;
  }
  const recolour = () => {
    at("legend").hidden = !byNorm.checked;
    boxes.forEach((box, number) => {
      const value = groupNorm(cells[number].nodes), colours = byNorm.checked && paint(value);
      const detail = box.querySelector(".tg-detail");
      detail.dataset.text ??= detail.textContent;
      detail.textContent = byNorm.checked ? (value === null ? "no gradient" : `norm ${spelled(value)}`) : detail.dataset.text;
      for (const rect of box.querySelectorAll("rect")) rect.style.fill = colours ? colours[0] : "";
      for (const text of box.querySelectorAll("text")) text.style.fill = colours ? colours[1] : "";
    });
  };
  byNorm.addEventListener("change", () => { recolour(); opened >= 0 ? openCell(opened) : start(); });

  // ---- at the start
  const steps = groups.map((_, g) => g).filter((g) => groups[g].kind === "step");
  const start = () => {
    if (steps.length) openSteps(steps, "all inner steps");
    else if (cells.length) openCell(cells.reduce((best, cell, k) => cell.nodes.length >= cells[best].nodes.length ? k : best, 0));
  };
  at("all-steps").hidden = !steps.length;
  at("all-steps").addEventListener("click", start);
  at("notes").replaceChildren(...data.notes.map((note) => make("li", { textContent: note })));
  start();
  document.documentElement.dataset.ready = "true";
})();
