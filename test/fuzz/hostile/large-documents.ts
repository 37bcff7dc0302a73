/** Documents that are large but select little. */
import fc, { type Arbitrary } from 'fast-check';
import type { HostileDocument } from './flood.ts';

const KB = 1_000;
const sizes = fc.oneof(
  fc.constantFrom(16 * KB, 64 * KB, 1_000 * KB),
  fc.integer({ min: 1, max: 20 * KB }),
  fc.integer({ min: 1, max: 1_100 * KB }),
);

function filled(kind: string, make: (size: number) => string): Arbitrary<HostileDocument> {
  return sizes.map((size) => ({ kind, text: make(size) }));
}

export const largeDocuments: Arbitrary<HostileDocument>[] = [
  filled('one long comment', (size) => `{ viewer { kind } } #${'c'.repeat(size)}`),
  filled('many comments', (size) => `${'#c\n'.repeat(Math.ceil(size / 3))}{ viewer { kind } }`),
  filled('comments before an unknown field', (size) => `${'#c\n'.repeat(Math.ceil(size / 3))}{ nothing }`),
  filled('comments between unknown fields', (size) => `{ ${`a${'#c\n'.repeat(40)}`.repeat(Math.ceil(size / 121))} }`),
  filled('blanks', (size) => `{${' '.repeat(size)}viewer { kind } }`),
  filled('commas', (size) => `{ viewer { kind${','.repeat(size)} } }`),
  filled('line ends', (size) => `{ nothing ${'\r\n'.repeat(Math.ceil(size / 2))} neither }`),
  filled('byte order marks', (size) => `${'\ufeff'.repeat(Math.ceil(size / 3))}{ viewer { kind } }`),
  filled('a long name', (size) => `{ ${'n'.repeat(size)} }`),
  filled('long names', (size) => `{ ${`${'n'.repeat(999)} `.repeat(Math.ceil(size / KB))} }`),
  filled('a long string', (size) => `{ paymentIntent(id: "${'s'.repeat(size)}") { id } }`),
  filled('a long block string', (size) => `{ paymentIntent(id: """${' s\n'.repeat(Math.ceil(size / 3))}""") { id } }`),
  filled(
    'a long string of escapes',
    (size) => `{ paymentIntent(id: "${'\\u0041'.repeat(Math.ceil(size / 6))}") { id } }`,
  ),
  filled('a long integer', (size) => `{ paymentIntents(first: ${'9'.repeat(size)}) { nodes { id } } }`),
  filled(
    'a long fraction',
    (size) => `{ paymentIntents(first: 1.${'9'.repeat(size)}e${'9'.repeat(9)}) { nodes { id } } }`,
  ),
  filled('a string without an end', (size) => `{ paymentIntent(id: "${'s'.repeat(size)}`),
  filled('a block string without an end', (size) => `{ paymentIntent(id: """${'s'.repeat(size)}`),
];
