/** What a response to a signed payment says about it. */
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse } from '@x402/core/types';
import type { AnswerState } from './send-until-answered.ts';

/** A proxy sends these statuses although the server behind it may have charged the payment. */
const UNANSWERED = [502, 503, 504];

export async function readPaidResponse(response: Response): Promise<AnswerState> {
  const settled = readReceipt(response);
  const isUnanswered = !settled?.success && (UNANSWERED.includes(response.status) || (await isInProgress(response)));
  return { settled, isFinal: !isUnanswered, retryAfterMs: retryAfterMs(response) };
}

/** The API itself may answer 409 as well, which is final. */
async function isInProgress(response: Response): Promise<boolean> {
  if (response.status !== 409 || !response.headers.get('content-type')?.includes('json')) return false;
  const body = await response
    .clone()
    .json()
    .catch(() => null);
  return body?.error === 'payment_in_progress';
}

/** The header is a number of seconds or a date. */
function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function readReceipt(response: Response): SettleResponse | null {
  const header = response.headers.get('payment-response');
  if (header === null) return null;
  try {
    return decodePaymentResponseHeader(header);
  } catch {
    return null;
  }
}
