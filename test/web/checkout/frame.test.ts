/** What the embedded checkout accepts from the embedding page, and what it reports to it. */
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../../packages/checkout/src/frame-message.ts';
import { frameOutcome } from '../../../web/src/checkout/embed/frame-outcome.ts';
import { printTheme, readTheme } from '../../../web/src/checkout/embed/frame-theme.ts';
import { parentOriginOf } from '../../../web/src/checkout/embed/parent-origin.ts';
import type { Card } from '../../../web/src/checkout/steps.ts';

const theme = (given: Record<string, unknown>) => readTheme((name) => given[name]);

describe('the theme', () => {
  it('is read from its tokens, with defaults', () => {
    expect(theme({ scheme: 'dark', accent: '#0A7B5F', radius: 'small', font: 'mono' })).toEqual({
      scheme: 'dark',
      accent: '#0a7b5f',
      radius: 'small',
      font: 'mono',
    });
    expect(theme({})).toEqual({ scheme: 'auto', accent: undefined, radius: undefined, font: undefined });
  });

  it.each([
    { accent: 'red' },
    { accent: '#fff' },
    { accent: '#0a7b5f;}body{display:none' },
    { accent: ['#0a7b5f'] },
    { radius: '9px' },
    { radius: 'toString' },
    { font: 'Papyrus, url(https://evil.example)' },
    { font: 'constructor' },
    { scheme: 'light"] { display: none } [x="' },
  ])('ignores %j', (given) => {
    expect(theme(given)).toEqual(theme({}));
    expect(printTheme(theme(given))).toBe(printTheme(theme({})));
  });

  it('adapts the accent to be readable on light and dark backgrounds', () => {
    const sheet = printTheme(theme({ accent: '#ffee00' }));
    expect([...sheet.matchAll(/--accent: (#[0-9a-f]{6})/gi)]).toHaveLength(3);
    expect(sheet).not.toMatch(/undefined|NaN/);
  });
});

describe('the origin of the embedding page', () => {
  const listed = ['https://shop.example', 'http://localhost:3000'];
  it.each([
    ['https://shop.example', 'https://shop.example', 'https://shop.example'],
    ['https://shop.example', undefined, 'https://shop.example'],
    ['https://shop.example', 'https://evil.example', undefined],
    ['https://shop.example', 'http://localhost:3000', undefined],
    ['https://evil.example', 'https://evil.example', undefined],
    ['https://shop.example.evil.example', undefined, undefined],
    ['*', undefined, undefined],
    ['', undefined, undefined],
    [null, 'https://shop.example', undefined],
  ])('with declared %s and actual %s is %s', (declared, actual, expected) => {
    expect(parentOriginOf({ listed, declared, actual })).toBe(expected);
  });

  it('is undefined if no origins are listed', () => {
    expect(parentOriginOf({ listed: [], declared: 'https://shop.example', actual: undefined })).toBeUndefined();
  });
});

describe('the outcome message', () => {
  const outcome = (card: Card) => frameOutcome({ ...card, primary: undefined, notice: undefined }, undefined);
  it.each<[Card, unknown]>([
    [
      { card: 'receipt', outcome: 'paid' },
      { type: 'paid', outcome: 'paid', paymentIntentId: null },
    ],
    [
      { card: 'receipt', outcome: 'held' },
      { type: 'paid', outcome: 'held', paymentIntentId: null },
    ],
    [
      { card: 'receipt', outcome: 'refunded' },
      { type: 'failed', code: 'REFUNDED' },
    ],
    [
      { card: 'over', why: 'FAILED' },
      { type: 'failed', code: 'FAILED' },
    ],
    [
      { card: 'over', why: 'CANCELLED' },
      { type: 'failed', code: 'CANCELLED' },
    ],
    [{ card: 'expired' }, { type: 'failed', code: 'EXPIRED' }],
    [{ card: 'unknown' }, { type: 'failed', code: 'NOT_FOUND' }],
    [{ card: 'unreachable' }, undefined],
    [{ card: 'wallet' }, undefined],
    [{ card: 'progress', stage: 'reorged', txHash: null }, undefined],
  ])('for %j is %j, and the element can read it', (card, expected) => {
    const sent = outcome(card);
    expect(sent).toEqual(expected);
    if (sent) expect(readMessage({ source: 'sluice', ...sent })).toEqual(sent);
  });
});

it.each([
  null,
  'paid',
  [],
  { type: 'paid', outcome: 'paid' },
  { source: 'sluice', type: 'paid' },
  { source: 'sluice', type: 'paid', outcome: 'refunded' },
  { source: 'sluice', type: 'failed', code: 'UNREACHABLE' },
  { source: 'sluice', type: 'height', height: '10px' },
  { source: 'sluice', type: 'height', height: Number.NaN },
  { source: 'sluice', type: 'height', height: 1e9 },
  { source: 'sluice', type: 'height', height: -1 },
  { source: 'sluice', type: 'theme' },
])('the element ignores %j', (data) => {
  expect(readMessage(data)).toBeUndefined();
});
