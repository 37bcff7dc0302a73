import type { OperationsInstallationQuery } from '../../../../generated/web/documents.ts';

/** The installation, as fetched by the operations page. */
export type Installation = OperationsInstallationQuery['installation'];
