/** Numbered pages, newest first, from which REST lists are projected. */

import { invalid } from '../../../errors.ts';
import { type BuilderTypes, builder } from './builder.ts';
import { DEFAULT_PAGE_SIZE, requireListSize } from './limits.ts';

/** The result of a page's root field. Rows and total are read only if they are selected. */
export type Page<Query, Row> = {
  page: number;
  pageSize: number;
  items(query: Query): Promise<Row[]>;
  total(): Promise<number>;
};

type PageArgs = { page: number; pageSize: number };
type PageReads<Query, Row> = {
  items(query: Query, window: { skip: number; take: number }): Promise<Row[]>;
  total(): Promise<number>;
};

/** No list has more rows than this. */
const FURTHEST_ROW = 1_000_000_000;

/** The arguments `page` and `pageSize` of a page's root field. */
export const pageArgs = builder.args((t) => ({
  page: t.int({ required: true, defaultValue: 1, description: 'The page, from 1.' }),
  pageSize: t.int({
    required: true,
    defaultValue: DEFAULT_PAGE_SIZE,
    description: 'Number of rows on each page, 1 to 100.',
  }),
}));

/** Returns a page of what `reads` finds. Throws VALIDATION_ERROR for a page or size outside the limits. */
export function pageOf<Query, Row>(args: PageArgs, reads: PageReads<Query, Row>): Page<Query, Row> {
  if (args.page < 1) throw invalid([{ param: 'page', message: `is ${args.page}, at least 1` }]);
  requireListSize({ pageSize: args.pageSize });
  const skip = (args.page - 1) * args.pageSize;
  let total: Promise<number> | undefined;
  return {
    page: args.page,
    pageSize: args.pageSize,
    items: (query) => (skip > FURTHEST_ROW ? Promise.resolve([]) : reads.items(query, { skip, take: args.pageSize })),
    total: () => {
      total ??= reads.total();
      return total;
    },
  };
}

/** The fields of every page type in addition to its `items`. */
export function pageFields<Query, Row>(t: PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, Page<Query, Row>>) {
  return {
    page: t.int({ description: 'This page, from 1.', resolve: (page) => page.page }),
    pageSize: t.int({ description: 'Number of rows on each page.', resolve: (page) => page.pageSize }),
    total: t.int({ description: 'Number of rows on all pages.', resolve: (page) => page.total() }),
    totalPages: t.int({
      description: 'Number of pages.',
      resolve: async (page) => Math.ceil((await page.total()) / page.pageSize),
    }),
  };
}

/** The complexity of a list of at most `size` rows. */
export function listComplexity(size: number | null | undefined): { field: number; multiplier: number } {
  return { field: 1, multiplier: Math.max(1, Math.min(size ?? DEFAULT_PAGE_SIZE, 100)) };
}
