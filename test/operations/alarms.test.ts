import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { provenAlarms } from '../chaos/alarm-faults.ts';
import { scaleRules } from '../chaos/scale-rules.ts';

const read = (name: string) => readFileSync(new URL(`../../docs/operations/${name}`, import.meta.url), 'utf8');
const rules = read('alerts.yml');
const alarms = [...rules.matchAll(/alert: (\w+)/g)].map((match) => match[1] ?? '');

it('has a fault for every alarm in the rules, and no other alarms', () => {
  expect(alarms.length).toBeGreaterThan(10);
  expect([...provenAlarms].toSorted()).toEqual(alarms.toSorted());
});

it('documents the symptoms and the response for every alarm in the table of faults', () => {
  // A row names the fault, its alarms, /readyz, ops status, and what to do.
  const rows = read('faults.md')
    .split('<!-- figures -->')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[-|: ]+\|$/.test(line))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const named = (rows ?? []).flatMap((cells) => {
    expect(cells.length, cells.join()).toBe(5);
    expect(
      cells.filter((cell) => cell === ''),
      cells.join(),
    ).toEqual([]);
    return [...(cells[1] ?? '').matchAll(/Sluice\w+/g)].map(([name]) => name);
  });
  expect([...new Set(named)].toSorted()).toEqual(alarms.toSorted());
});

it('scales the times of a rule and nothing else', () => {
  const text = [
    'groups:',
    '    rules:',
    '      - alert: Late',
    '        expr: max(sluice_queue_oldest_seconds) > 900',
    '        for: 5m',
    '      - alert: Many',
    '        expr: increase(sluice_reorganisations_total[1h]) - increase(other_total[10m] offset 1h) > 5',
    '        for: 20s',
    '',
  ].join('\n');
  const scaled = scaleRules(text, 10);
  expect(scaled.text).toBe(
    text
      .replace('> 900', '> 90')
      .replace('for: 5m', 'for: 30s')
      .replace('[1h]', '[360s]')
      .replace('[10m] offset 1h', '[60s] offset 360s')
      .replace('for: 20s', 'for: 5s'),
  );
  expect(scaled.rules).toEqual([
    { name: 'Late', factor: 10, forSeconds: 30, thresholdSeconds: 90 },
    { name: 'Many', factor: 10, forSeconds: 5, thresholdSeconds: 0 },
  ]);
});
