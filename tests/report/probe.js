// Added to the end of a report by run.sh: uses it as a person would and leaves what went wrong in
// an element #probe.
(function () {
  'use strict';
  const wrong = window.probeErrors;
  const check = (claim, text) => { if (!claim) wrong.push(text); };
  const near = (a, b) => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(a) + Math.abs(b));
  const report = window.daedalusReport;
  const byId = (id) => document.getElementById(id);
  const find = (name) => report.describe().find((p) => p.name === name);
  const click = (element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true }));

  function drag(canvas, from, to) {
    const box = canvas.getBoundingClientRect();
    const event = (type, target, part, buttons) => target.dispatchEvent(new MouseEvent(type, {
      bubbles: true, cancelable: true, view: window, detail: 1, buttons,
      clientX: box.left + 70 + part * (box.width - 80), clientY: box.top + box.height / 2,
      screenX: box.left + 70 + part * (box.width - 80), screenY: box.top + box.height / 2,
    }));
    event('mousedown', canvas, from, 1);
    for (let k = 1; k <= 5; ++k) event('mousemove', document, from + (to - from) * k / 5, 1);
    event('mouseup', document, to, 0);
  }

  function probe() {
    check(report, 'window.daedalusReport is missing');
    const expected = JSON.parse(byId('expected').textContent);
    check(report.variables.length === expected.variables, 'variables: ' + report.variables.length);
    let main = find('solution');
    check(main.points.every((n) => n > 0 && n <= 5000), 'points per curve: ' + main.points);
    if (expected.rows) check(main.points.every((n) => n === expected.rows), 'rows: ' + main.points);
    // The axes hold all the data that is drawn.
    main.series.forEach((name, k) => {
      const values = report.data.variables[report.variables.indexOf(name)].y;
      check(main.yRange[0] <= Math.min(...values) && main.yRange[1] >= Math.max(...values), name + ' leaves the plot');
    });
    check(main.xRange[0] <= 0 && main.xRange[1] >= expected.end, 'time axis: ' + main.xRange);
    if (expected.steps) {
      check(find('step-size').points[0] === expected.steps, 'step sizes: ' + find('step-size').points);
      check(find('order').points[0] >= 1, 'orders');
      check(find('residuals').series.join() === 'position,velocity,acceleration', 'residual levels');
    }
    check(document.querySelectorAll('canvas').length >= 2, 'no canvas');
    const canvas = document.querySelector('#plots canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    check(pixels.some((v) => v > 0), 'nothing is drawn');

    drag([...document.querySelectorAll('#plots canvas')].pop(), 0.25, 0.5);
    main = find('solution');
    const span = expected.end;
    check(main.xRange[1] - main.xRange[0] < 0.5 * span, 'dragging does not zoom: ' + main.xRange);
    if (expected.steps) check(near(find('step-size').xRange[0], main.xRange[0]), 'plots do not zoom together');
    click(byId('reset-zoom'));
    check(find('solution').xRange[1] >= expected.end, 'zoom is not reset');

    click(byId('log-values'));
    check(find('solution').yRange[0] > 0, 'log scale shows negative values: ' + find('solution').yRange);
    click(byId('log-values'));
    click(byId('log-time'));
    check(find('solution').xRange[0] > 0, 'log time begins at ' + find('solution').xRange[0]);
    click(byId('log-time'));
    click(byId('one-each'));
    check(find(main.series[0]).rows > 0, 'one plot each');
    click(byId('one-each'));

    click(byId('none'));
    check(!find('solution'), 'a plot without variables');
    byId('search').value = report.variables[report.variables.length - 1];
    byId('search').dispatchEvent(new Event('input'));
    const found = document.querySelectorAll('#variables input');
    check(found.length === 1, 'search finds ' + found.length);
    click(found[0]);
    check(find('solution').series.length === 1, 'the checkbox chooses nothing');
    check(performance.getEntriesByType('resource').length === 0, 'the page loads other files');
  }

  try {
    probe();
  } catch (error) {
    wrong.push(String(error.stack || error));
  }
  const result = document.createElement('pre');
  result.id = 'probe';
  result.textContent = 'PROBE ' + (wrong.length ? 'WRONG ' + JSON.stringify(wrong) : 'FINE') + ' EBORP';
  document.body.append(result);
})();
