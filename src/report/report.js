// The plots of a report. Data comes from the script element #data; window.daedalusReport shows
// what is drawn, for tests and for the curious.
(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const palettes = {
    light: ['#2563c9', '#d1432f', '#0f8a5f', '#b7791f', '#7a4fcf', '#0e8ca8', '#c2347c', '#5b7f16', '#57606a', '#a0522d'],
    dark: ['#74a9ff', '#ff8672', '#4fd1a0', '#f0b849', '#b79bff', '#4fc9e6', '#ff85bd', '#a8d155', '#a4adb8', '#e0a070'],
  };
  const listed = 300;  // variables in the list at once
  const drawn = 40;    // curves at once

  // Curves are {name, t, y} with ascending t; null in the data is a gap.
  function curve(name, t, y) {
    const gaps = y.map((v) => (v === null ? NaN : v));
    const backward = t.length > 1 && t[t.length - 1] < t[0];
    return { name, t: backward ? t.slice().reverse() : t, y: backward ? gaps.reverse() : gaps };
  }
  const variables = data.variables.map((v) => v.name);
  const notes = data.variables.map((v) => v.note || '');
  const cache = new Map();
  function variable(index) {
    if (!cache.has(index)) {
      const v = data.variables[index];
      cache.set(index, curve(v.name, v.t || data.t, v.y));
    }
    return cache.get(index);
  }
  const range = [Infinity, -Infinity];
  for (const t of [data.t].concat(data.variables.map((v) => v.t), [data.step_size.t])) {
    if (!t || t.length === 0) continue;
    range[0] = Math.min(range[0], t[0], t[t.length - 1]);
    range[1] = Math.max(range[1], t[0], t[t.length - 1]);
  }
  if (!Number.isFinite(range[0])) range.splice(0, 2, 0, 1);
  const margin = range[0] < range[1] ? 0.008 * (range[1] - range[0]) : 1;
  range[0] -= margin;
  range[1] += margin;

  let selected = new Set(variables.map((_, i) => i).slice(0, variables.length <= 8 ? 8 : 6));
  let window_ = range.slice();
  let plots = [];
  let syncing = false;

  // Rows for dygraphs: every curve keeps its own times, the others are null there.
  function rows(curves, logTime, logValues) {
    const next = curves.map(() => 0);
    const result = [];
    const shown = (y) => (!logValues ? y : y === 0 ? NaN : Math.abs(y));
    for (;;) {
      let t = Infinity;
      curves.forEach((c, k) => { if (next[k] < c.t.length) t = Math.min(t, c.t[next[k]]); });
      if (t === Infinity) return result;
      const row = [t];
      curves.forEach((c, k) => row.push(c.t[next[k]] === t ? shown(c.y[next[k]++]) : null));
      if (!logTime || t > 0) result.push(row);
    }
  }

  const digits = (x, n) => (Number.isFinite(x) ? String(Number(x.toPrecision(n))) : '–');
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (k) => palettes[dark.matches ? 'dark' : 'light'][k % 10];

  function drawMarks(context, area, graph) {
    const [from, to] = graph.xAxisRange();
    const visible = data.marks.filter((m) => m.t >= from && m.t <= to);
    if (visible.length > 400) return;
    context.save();
    for (const mark of visible) {
      const x = Math.round(graph.toDomXCoord(mark.t)) + 0.5;
      context.strokeStyle = style(mark.kind === 'singularity' ? '--bad' : '--mark');
      context.globalAlpha = visible.length > 60 ? 0.35 : 0.8;
      context.setLineDash(mark.kind === 'singularity' ? [] : [4, 3]);
      context.beginPath();
      context.moveTo(x, area.y);
      context.lineTo(x, area.y + area.h);
      context.stroke();
    }
    context.restore();
  }

  function nearestMark(t) {
    const reach = (window_[1] - window_[0]) / 150;
    return data.marks.find((m) => Math.abs(m.t - t) < reach);
  }

  function legend(caption, title, colours) {
    return (state) => {
      caption.textContent = '';
      const entry = (text, color, value) => {
        const span = document.createElement('span');
        span.className = 'entry';
        const name = document.createElement('b');
        name.textContent = text;
        if (color) name.style.color = color;
        span.append(name, value === undefined ? '' : ' ' + value);
        caption.append(span);
      };
      if (title) entry(title);
      if (state.series.length > 1 || !title)
        state.series.forEach((s, k) => { if (k < 12) entry(s.label, colours[k], s.yHTML); });
      else if (state.series[0] && state.series[0].yHTML) entry('', null, state.series[0].yHTML);
      if (state.series.length > 12 && !title) entry('and ' + (state.series.length - 12) + ' more');
      if (state.x !== undefined) {
        const at = document.createElement('span');
        at.className = 'at';
        const mark = nearestMark(state.x);
        at.textContent = 't = ' + digits(state.x, 8) + (mark ? ' · ' + mark.label : '');
        caption.append(at);
      }
      return '';
    };
  }

  function plot(name, element, caption, curves, options) {
    const logTime = byId('log-time').checked && range[1] > 0;
    const table = rows(curves, logTime, options.log);
    const graph = new Dygraph(element, table.length ? table : [[range[0]].concat(curves.map(() => NaN))], {
      labels: ['time'].concat(curves.map((c) => c.name)),
      colors: options.colours,
      labelsDiv: document.createElement('div'),
      legend: 'always',
      legendFormatter: legend(caption, options.title, options.colours),
      connectSeparatedPoints: true,
      strokeWidth: 1.6,
      pointSize: 2,
      drawPoints: table.length < 60,
      highlightCircleSize: 3.5,
      stepPlot: !!options.steps,
      logscale: !!options.log,
      includeZero: false,
      xRangePad: 4,
      yRangePad: 8,
      dateWindow: logTime ? [Math.max(window_[0], table.length ? table[0][0] : 1e-9), window_[1]] : window_.slice(),
      gridLineColor: style('--grid'),
      axisLineColor: style('--line'),
      axes: {
        x: {
          logscale: logTime, axisLabelFormatter: (x) => digits(x, 5), valueFormatter: (x) => digits(x, 10),
          pixelsPerLabel: 70, ...(logTime ? { ticker: decades(80) } : {}),
        },
        y: {
          axisLabelFormatter: (y) => digits(y, 5), valueFormatter: (y) => digits(y, 7), axisLabelWidth: 58,
          pixelsPerLabel: 34, ...(options.whole ? { ticker: wholeNumbers } : options.log ? { ticker: decades(24) } : {}),
        },
      },
      ...(options.whole && table.length ? { valueRange: wholeRange(curves[0].y) } : {}),
      underlayCallback: drawMarks,
      drawCallback: (g, initial) => { if (!initial && !syncing) follow(g); },
    });
    plots.push({ name, graph, rows: table.length, curves });
    element.addEventListener('dblclick', () => resetZoom());
  }
  function wholeRange(values) {
    return [Math.max(0, Math.min(...values) - 1), Math.max(...values) + 1];
  }
  function wholeNumbers(a, b) {
    const ticks = [];
    const stride = Math.max(1, Math.ceil((b - a) / 6));
    for (let v = Math.ceil(a); v <= b; v += stride) ticks.push({ v, label: String(v) });
    return ticks;
  }

  const raised = (n) => String(n).replace(/./g, (c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]);
  const powerOfTen = (n) => (n >= -2 && n <= 3 ? String(Number('1e' + n)) : '10' + raised(n));
  // Ticks of a logarithmic axis: powers of ten, and 2 and 5 between them where there is room.
  function decades(spacing) {
    return (a, b, pixels) => {
      const low = Math.log10(a);
      const high = Math.log10(b);
      const room = Math.max(2, pixels / spacing);
      const stride = Math.max(1, Math.ceil((high - low) / room));
      const ticks = [];
      for (let n = Math.floor(low); n <= high; ++n) {
        if (n % stride === 0) ticks.push({ v: Math.pow(10, n), label: powerOfTen(n) });
        if (3 * (high - low) < room)
          for (const m of [2, 5]) ticks.push({ v: m * Math.pow(10, n), label: n >= -3 && n < 4 ? digits(m * Math.pow(10, n), 2) : m + '·10' + raised(n) });
      }
      return ticks.filter((tick) => tick.v >= a && tick.v <= b);
    };
  }

  // All plots show the same stretch of time.
  function follow(source) {
    window_ = source.xAxisRange();
    syncing = true;
    for (const p of plots) if (p.graph !== source) p.graph.updateOptions({ dateWindow: window_.slice() });
    syncing = false;
  }
  function resetZoom() {
    window_ = range.slice();
    draw();
  }

  function figure(parent, className) {
    const box = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const chart = document.createElement('div');
    chart.className = className;
    box.append(caption, chart);
    parent.append(box);
    return [chart, caption];
  }

  function draw() {
    for (const p of plots) p.graph.destroy();
    plots = [];
    const area = byId('plots');
    area.textContent = '';
    const chosen = [...selected].sort((a, b) => a - b).slice(0, drawn);
    const curves = chosen.map(variable);
    const log = byId('log-values').checked;
    if (curves.length === 0 || curves[0].t.length === 0) {
      const note = document.createElement('p');
      note.className = 'empty';
      note.textContent = variables.length && curves.length === 0 ? 'Choose a variable on the left.' : 'There are no output points.';
      area.append(note);
    } else if (byId('one-each').checked) {
      curves.forEach((c, k) => {
        const [chart, caption] = figure(area, 'chart each');
        plot(c.name, chart, caption, [c], { colours: [colour(chosen[k])], log, title: c.name });
      });
    } else {
      const [chart, caption] = figure(area, 'chart');
      plot('solution', chart, caption, curves, { colours: chosen.map((i) => colour(i)), log });
    }
    if (data.step_size.t.length > 0) {
      byId('progress').hidden = false;
      const fixed = (id, title, values, options) => plot(id, byId(id), byId(id).parentNode.querySelector('figcaption'),
        [curve(title, values.t, values.y)], { colours: [style('--accent')], title, ...options });
      fixed('step-size', 'step size', data.step_size, { log: true });
      fixed('order', 'order', data.order, { steps: true, whole: true });
    }
    const residuals = byId('residual-plot');
    if (residuals && data.residuals.length > 0)
      plot('residuals', residuals, residuals.parentNode.querySelector('figcaption'),
        data.residuals.map((r) => curve(r.name, r.t, r.y)), { colours: data.residuals.map((_, k) => colour(k)), log: true });
    list();
  }

  function list() {
    const wanted = byId('search').value.toLowerCase();
    const box = byId('variables');
    const matching = variables.map((_, i) => i).filter((i) => (variables[i] + ' ' + notes[i]).toLowerCase().includes(wanted));
    box.textContent = '';
    for (const i of matching.slice(0, listed)) {
      const label = document.createElement('label');
      label.title = notes[i] ? variables[i] + ': ' + notes[i] : variables[i];
      const tick = document.createElement('input');
      tick.type = 'checkbox';
      tick.checked = selected.has(i);
      tick.addEventListener('change', () => { selected[tick.checked ? 'add' : 'delete'](i); draw(); });
      const name = document.createElement('span');
      name.className = 'name';
      name.textContent = variables[i];
      const swatch = document.createElement('i');
      if (tick.checked) swatch.style.background = colour(i);
      label.append(tick, name, swatch);
      box.append(label);
    }
    if (matching.length > listed || matching.length === 0) {
      const more = document.createElement('p');
      more.textContent = matching.length ? 'and ' + (matching.length - listed) + ' more: search' : 'nothing found';
      box.append(more);
    }
    byId('chosen').textContent = selected.size + ' of ' + variables.length + (selected.size > drawn ? ', ' + drawn + ' drawn' : '');
    return matching;
  }

  byId('search').addEventListener('input', list);
  byId('all').addEventListener('click', () => { list().forEach((i) => selected.add(i)); draw(); });
  byId('none').addEventListener('click', () => { list().forEach((i) => selected.delete(i)); draw(); });
  byId('reset-zoom').addEventListener('click', resetZoom);
  for (const id of ['log-values', 'log-time', 'one-each']) byId(id).addEventListener('change', draw);
  dark.addEventListener('change', draw);
  const copy = byId('copy');
  if (copy) copy.addEventListener('click', () => {
    navigator.clipboard.writeText(byId('command').textContent).then(() => { copy.textContent = 'copied'; }, () => {});
  });
  const kinds = new Set(data.marks.map((m) => m.kind));
  if (kinds.has('event')) document.querySelector('.hint').append(' · dashed lines: events');
  if (kinds.has('singularity')) document.querySelector('.hint').append(' · red lines: singularities');
  draw();

  window.daedalusReport = {
    variables,
    data,
    describe: () => plots.map((p) => ({
      name: p.name, rows: p.rows, series: p.curves.map((c) => c.name), points: p.curves.map((c) => c.t.length),
      xRange: p.graph.xAxisRange(), yRange: p.graph.yAxisRange(),
    })),
    zoom: (from, to) => { if (plots.length) plots[0].graph.updateOptions({ dateWindow: [from, to] }); },
  };
})();
