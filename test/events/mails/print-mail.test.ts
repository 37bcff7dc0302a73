/** Every mail in both languages, from one source for HTML and text, with hostile names. */
import { describe, expect, it } from 'vitest';
import { disputeSteps, type MailContent } from '../../../src/events/mails/mail-content.ts';
import {
  type MailKind,
  type MailLanguage,
  mailKinds,
  mailLanguages,
  nextTryAt,
} from '../../../src/events/mails/mail-kind.ts';
import { printMail } from '../../../src/events/mails/print-mail.ts';
import { sampleContent } from '../../../src/events/mails/sample-content.ts';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&`;
const now = new Date('2027-03-31T22:30:00Z');
const brand = {
  name: 'Tea House',
  accentColor: '#ffee00',
  logoUrl: 'https://pay.example.com/images/logo',
  receiptMessage: null,
  footerText: null,
};
const links = { action: 'https://pay.example.com/a?b=1&c=2', unsubscribe: 'https://pay.example.com/u' };
const grid = mailKinds.flatMap((kind) => mailLanguages.map((language) => [kind, language] as const));

describe('a mail', () => {
  it.each(grid)('%s in %s has the same facts as HTML and as text', (kind, language) => {
    const content = sampleContent(kind, { appName: brand.name, now });
    const { subject, html, text } = printMail({ kind, language, content, brand, links });
    expect(subject).not.toMatch(/undefined|null|[\r\n]/);
    expect(subject.length).toBeGreaterThan(10);
    expect(text).not.toMatch(/undefined|null|<[a-z]/);
    expect(html).not.toMatch(/undefined|>null</);
    expect(html).toContain(`<html lang="${language}">`);
    const amount = (of: string | undefined) => (language === 'de' ? of?.replace('.', ',') : of);
    const facts = [
      amount(content.token),
      amount(content.balance),
      content.chain,
      content.reason,
      content.plan,
      content.sender,
    ];
    for (const fact of facts.filter(Boolean)) {
      expect(text).toContain(fact);
      expect(html).toContain(fact);
    }
    if (content.money) {
      const shown = language === 'de' ? '12,50\u00a0€' : '€12.50';
      expect(text).toContain(shown);
      expect(html).toContain(shown);
    }
  });

  it.each(mailLanguages)('is entirely in its language: no kind has the same text in both (%s)', (language) => {
    const other: MailLanguage = language === 'en' ? 'de' : 'en';
    for (const kind of mailKinds) {
      const content = sampleContent(kind, { appName: brand.name, now });
      const [own, foreign] = ([language, other] as const).map((each) =>
        printMail({ kind, language: each, content, brand, links }),
      );
      expect(own?.subject).not.toBe(foreign?.subject);
    }
  });

  it('loads nothing except the logo and runs no scripts', () => {
    for (const kind of mailKinds) {
      const content = sampleContent(kind, { appName: brand.name, now });
      const { html } = printMail({ kind, language: 'en', content, brand, links });
      expect([...html.matchAll(/src="([^"]+)"/g)].map(([, url]) => url)).toEqual([brand.logoUrl]);
      expect(html).not.toMatch(/<script|<link|url\(|@import|<iframe|<form/i);
    }
  });

  it('escapes every name and keeps subject and title on one line', () => {
    const hostile = Object.fromEntries(
      [
        'appName',
        'customerName',
        'token',
        'chain',
        'reference',
        'reason',
        'plan',
        'endpointUrl',
        'sender',
        'balance',
      ].map((name) => [name, `${HOSTILE}\r\nBcc: eve@example.com\u2028x`]),
    );
    for (const [kind, language] of grid) {
      const content: MailContent = {
        ...sampleContent(kind, { appName: brand.name, now }),
        ...hostile,
        lines: [{ text: HOSTILE, money: { amount: '1.00', currency: 'USD' } }],
      };
      const evil = { ...brand, name: HOSTILE, accentColor: 'red;}body{display:none', logoUrl: `https://x/"><script>` };
      const { subject, html } = printMail({ kind, language, content, brand: evil, links });
      expect(html).not.toMatch(/<script|<img src=x|display:none/);
      expect(html).toContain('&lt;script&gt;');
      expect(subject).not.toMatch(/[\r\n\u2028]/);
      expect(/<h1[^>]*>([^<]*)<\/h1>/.exec(html)?.[1]).not.toMatch(/[\r\n]/);
    }
  });

  it.each([
    ['a link', 'Ada, your payment failed. Pay at https://evil.example'],
    ['a link in wide letters', 'Ada https：／／evil.example'],
    ['a host', 'Ada, see WWW.evil.example'],
    ['an address', 'support@evil.example'],
    ['a line break', 'Ada,\n\nPlease pay again.'],
    ['a line separator', 'Ada\u2028Please pay again.'],
    ['more than 60 characters', 'A'.repeat(61)],
    ['nothing but spaces', '  '],
  ])('omits the name from the greeting if it contains %s', (_what, customerName) => {
    for (const language of mailLanguages) {
      const content = { ...sampleContent('RECEIPT', { appName: brand.name, now }), customerName };
      const { html, text } = printMail({ kind: 'RECEIPT', language, content, brand, links });
      for (const part of [html, text]) {
        expect(part).toMatch(language === 'de' ? /Guten Tag,/ : /Hello,/);
        if (customerName.trim()) expect(part).not.toContain(customerName);
        expect(part).not.toContain('evil.example');
        expect(part).not.toContain('Please pay again.');
      }
    }
  });

  it('uses a name of up to 60 characters in any script in the greeting', () => {
    for (const customerName of ['A'.repeat(60), 'José Ñuñez-O’Brien, Jr.', '山田 太郎', '😀'.repeat(60)]) {
      const content = { ...sampleContent('RECEIPT', { appName: brand.name, now }), customerName };
      const { text } = printMail({ kind: 'RECEIPT', language: 'en', content, brand, links });
      expect(text).toContain(`Hello ${customerName},`);
    }
  });

  it('keeps the payer’s text on the line of its label', () => {
    const forged = 'Broken\r\n\r\n--\nView dispute:\nhttps://evil.example\u2029Pay here';
    for (const kind of ['DISPUTE', 'MEMBER_DISPUTE', 'REFUND'] as const) {
      const content = { ...sampleContent(kind, { appName: brand.name, now }), reason: forged, reference: forged };
      const { text, html } = printMail({ kind, language: 'en', content, brand, links });
      const line = 'Broken -- View dispute: https://evil.example Pay here';
      expect(text.split('\n')).toContain(`Reason: ${line}`);
      expect(text.split('\n')).toContain(`Reference: ${line}`);
      expect(html).toContain(`>${line}</td>`);
    }
  });

  it('formats amounts exactly, dates in UTC, and text that is readable on the accent color', () => {
    const content = {
      ...sampleContent('RECEIPT', { appName: 'A', now }),
      money: { amount: '99999999999999.99', currency: 'USD' },
    };
    const { html, text } = printMail({ kind: 'RECEIPT', language: 'en', content, brand, links });
    expect(text).toContain('$99,999,999,999,999.99');
    expect(text).toContain('March 31, 2027 at 10:30 PM UTC');
    expect(html).toContain('background:#9e9400;color:#0b0e14');
    const dark = printMail({
      kind: 'RECEIPT',
      language: 'en',
      content,
      brand: { ...brand, accentColor: '#102030' },
      links,
    });
    expect(dark.html).toContain('background:#102030;color:#ffffff');
  });

  it('shows the merchant’s message in receipts only and the footer in mails to payers only', () => {
    const own = { ...brand, receiptMessage: 'Thank you <3', footerText: 'Tea & Co, Berlin' };
    const print = (kind: MailKind) =>
      printMail({
        kind,
        language: 'en',
        content: sampleContent(kind, { appName: brand.name, now }),
        brand: own,
        links,
      });
    expect(print('RECEIPT').html).toContain('Thank you &lt;3');
    expect(print('RECEIPT').text).toContain('Thank you <3');
    expect(print('RECEIPT').html).toContain('Tea &amp; Co, Berlin<br>');
    expect(print('REFUND').text).toContain('-- \nTea & Co, Berlin\n');
    expect(print('REFUND').text).not.toContain('Thank you');
    expect(print('MEMBER_PAYMENT').text).not.toContain('Tea & Co');
  });

  it.each(disputeSteps)('about a dispute describes the step in each language: %s', (step) => {
    const subjects = new Set<string>();
    for (const kind of ['DISPUTE', 'MEMBER_DISPUTE'] as const) {
      for (const language of mailLanguages) {
        const sample = sampleContent(kind, { appName: brand.name, now });
        const isResolved = step === 'RESOLVED';
        const dispute = {
          id: 'd',
          step,
          status: isResolved ? 'RESOLVED_SPLIT' : 'OPEN',
          deadline: '2027-04-07T22:30:00.000Z',
          payerPercent: isResolved ? '33.33' : null,
        };
        const { subject, html, text } = printMail({ kind, language, content: { ...sample, dispute }, brand, links });
        subjects.add(subject);
        const until = language === 'de' ? '7. April 2027 um 22:30 UTC' : 'April 7, 2027 at 10:30 PM UTC';
        for (const part of [html, text]) {
          expect(part.includes(until)).toBe(!isResolved);
          expect(part.includes(language === 'de' ? '33,33\u00a0%' : '33.33%')).toBe(isResolved);
          expect(part).not.toMatch(/undefined|Invalid|\? (go|erhält)/);
        }
        expect(html).toContain(language === 'de' ? 'Streitfall ansehen' : 'View dispute');
      }
    }
    expect(subjects.size).toBe(4);
  });

  it('is attempted 8 times within two days before it fails', () => {
    const delays = Array.from({ length: 8 }, (_, index) => nextTryAt(index + 1, now));
    expect(delays.at(-1)).toBeNull();
    const ms = delays.slice(0, -1).map((at) => (at?.getTime() ?? 0) - now.getTime());
    expect(ms).toEqual([...ms].sort((left, right) => left - right));
    expect(ms.reduce((sum, delay) => sum + delay, 0)).toBeLessThan(2 * 86_400_000);
  });
});
