import { describe, expect, test } from 'vitest';
import { chooseEncoding } from '../../../src/api/encoding/accept-encoding.ts';

describe('Accept-Encoding', () => {
  test.each([
    // Without a header or a supported encoding, the body is not encoded.
    [undefined, undefined, false],
    ['', undefined, false],
    ['identity', undefined, false],
    ['deflate, zstd', undefined, false],
    // The higher weight wins, and brotli wins for equal weights.
    ['gzip', 'gzip', false],
    ['GZIP', 'gzip', false],
    ['br', 'br', false],
    ['gzip, deflate, br', 'br', false],
    ['gzip;q=1, br;q=0.8', 'gzip', false],
    ['br;q=0.5, gzip;q=0.5', 'br', false],
    ['br ; q=0.2 , gzip ; q=0.9', 'gzip', false],
    // The asterisk matches every encoding that is not listed.
    ['*', 'br', false],
    ['*;q=0.5, br;q=0.1', 'gzip', false],
    ['br;q=0, *', 'gzip', false],
    // A weight of zero excludes an encoding.
    ['gzip;q=0, br;q=0', undefined, false],
    ['gzip;q=0.000', undefined, false],
    ['*;q=0', undefined, true],
    ['identity;q=0', undefined, true],
    ['identity;q=0, gzip', 'gzip', true],
    ['gzip;q=0.5, *;q=0', 'gzip', true],
    ['identity;q=0.1, *;q=0', undefined, false],
    // The identity encoding is used if it is preferred explicitly.
    ['identity;q=1, gzip;q=0.5', undefined, false],
    ['identity;q=0.5, gzip;q=1', 'gzip', false],
    ['identity, gzip', 'gzip', false],
    // An encoding with an invalid weight is not accepted.
    ['gzip;q=high', undefined, false],
    ['gzip;q=2', undefined, false],
    [';;,,gzip', 'gzip', false],
  ] as const)('%j means %s, refusing the plain body: %s', (header, encoding, refusesPlain) => {
    expect(chooseEncoding(header, ['br', 'gzip'])).toEqual({ encoding, refusesPlain });
  });

  test('selects only encodings that the server offers', () => {
    expect(chooseEncoding('br, gzip;q=0.1', ['gzip']).encoding).toBe('gzip');
    expect(chooseEncoding('br, gzip', []).encoding).toBeUndefined();
  });
});
