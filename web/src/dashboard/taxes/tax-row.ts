import type { TaxListQuery } from '../../../../generated/web/documents.ts';

/** A tax rate as the list reads it. */
export type TaxRow = TaxListQuery['taxRates'][number];
