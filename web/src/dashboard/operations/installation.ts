import type { OperationsInstallationQuery } from '../../../../generated/web/documents.ts';

/** The installation as the operations page reads it. */
export type Installation = OperationsInstallationQuery['installation'];
