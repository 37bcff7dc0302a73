import type { TaxListQuery } from '../../../../generated/web/documents.ts';

/** A tax rate, as fetched by the list. */
export type TaxRow = TaxListQuery['taxRates'][number];
