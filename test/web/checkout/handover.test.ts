/** The links that continue a payment in another browser. */
import { describe, expect, it, test } from 'vitest';
import { splitCode } from '../../../web/src/checkout/handover/split-code.ts';
import { walletApps } from '../../../web/src/checkout/handover/wallet-apps.ts';

const CODE = 'q3-Vn_0123456789abcdefghijklmnopqrstuvwxyzABC';
const SESSION = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const page = new URL(`https://pay.example:8443/checkout/${SESSION}#code=${CODE}`);
const twice = (text: string) => encodeURIComponent(encodeURIComponent(text));

test('each app has a link format documented by its vendor', () => {
  expect(Object.fromEntries(walletApps.map(({ id, link }) => [id, link(page)]))).toEqual({
    metamask: `https://link.metamask.io/dapp/pay.example:8443/checkout/${SESSION}#code=${CODE}`,
    base: `https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fpay.example%3A8443%2Fcheckout%2F${SESSION}%23code%3D${CODE}`,
    trust: `https://link.trustwallet.com/open_url?coin_id=60&url=https%3A%2F%2Fpay.example%3A8443%2Fcheckout%2F${SESSION}%23code%3D${CODE}`,
    rainbow: `https://rnbwapp.com/dapp?url=https%3A%2F%2Fpay.example%3A8443%2Fcheckout%2F${SESSION}%23code%3D${CODE}`,
    phantom: `https://phantom.app/ul/browse/https%3A%2F%2Fpay.example%3A8443%2Fcheckout%2F${SESSION}%23code%3D${CODE}?ref=https%3A%2F%2Fpay.example%3A8443`,
    okx: `https://web3.okx.com/download?deeplink=okx%3A%2F%2Fwallet%2Fdapp%2Furl%3FdappUrl%3Dhttps%253A%252F%252Fpay.example%253A8443%252Fcheckout%252F${SESSION}%2523code%253D${CODE}`,
  });
});

/** The address that the app opens, parsed from the link like in the app. */
const opened: Record<string, (link: URL) => string | null> = {
  metamask: (link) => link.href.replace('https://link.metamask.io/dapp/', 'https://'),
  base: (link) => link.searchParams.get('cb_url'),
  trust: (link) => link.searchParams.get('url'),
  rainbow: (link) => link.searchParams.get('url'),
  phantom: (link) => decodeURIComponent(link.pathname.replace('/ul/browse/', '')),
  okx: (link) => new URL(link.searchParams.get('deeplink') ?? '').searchParams.get('dappUrl'),
};

describe.each(walletApps)('the link of $name', ({ id, link }) => {
  it.each([
    page.href,
    `https://pay.example/checkout/${SESSION}#code=${CODE}`,
    'https://pay.example/a%20b/c?d=e%26f&g=1+2#code=h%20i&j',
    'https://xn--bcher-kva.example/%C3%BC#code=%2F',
  ])('opens exactly %s', (href) => {
    const made = new URL(link(new URL(href)));
    expect(made.protocol).toBe('https:');
    expect(opened[id]?.(made)).toBe(new URL(href).href);
  });
});

it('encodes the address twice only if it nests one link in another', () => {
  expect(walletApps.filter(({ link }) => link(page).includes(twice(page.href))).map(({ id }) => id)).toEqual(['okx']);
});

test.each([
  [`#code=${CODE}`, CODE],
  ['#code=', ''],
  ['#cs_secret', undefined],
  ['#xcode=1', undefined],
  ['', undefined],
])('the code in the fragment %s is %s', (fragment, code) => {
  expect(splitCode(fragment)).toBe(code);
});
