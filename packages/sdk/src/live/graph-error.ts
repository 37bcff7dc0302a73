/** Faults as GraphQL reports them, over HTTP and over sockets. */
import { type FieldFault, SluiceApiError } from '../errors.ts';

export type GraphFault = {
  message: string;
  extensions?: {
    code?: string;
    param?: string;
    details?: FieldFault[];
    requestId?: string;
    retryable?: boolean;
    http?: { status?: number };
  };
};

export type GraphResult = { data?: Record<string, unknown> | null; errors?: GraphFault[] };

export function graphError(faults: readonly GraphFault[]): SluiceApiError {
  const [first] = faults;
  const { code = 'UNEXPECTED_RESPONSE', param, details, requestId, retryable, http } = first?.extensions ?? {};
  return new SluiceApiError({
    ...{ code, param, details, requestId, retryable },
    message: first?.message ?? 'The gateway refused the operation and gave no reason.',
    status: http?.status ?? 500,
  });
}
