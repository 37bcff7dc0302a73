/**
 * A signed payment is sent until the server's answer to it is final. While it is not, the server may have charged it, and the same payment is the
 * only way to get the response without paying a second time.
 */
import type { PaymentPayload, SettleResponse } from '@x402/core/types';
import type { Receipt } from './buyer-store.ts';

/** A payment that has been signed and counted. It is charged at most once, however often it is sent. */
export type SignedPayment = {
  payload: PaymentPayload;
  /** The value of the PAYMENT-SIGNATURE header. */
  header: string;
  /** Unix seconds; after that, the signature is worth nothing. */
  validBefore: number;
  confirm(settled: SettleResponse | null): Promise<Receipt>;
};

export type RepeatOptions = { signal?: AbortSignal | undefined };

/** A signed payment got no final answer, so it may have been charged. Another call would sign a second payment. */
export class UnansweredPaymentError<Answer = Response> extends Error {
  override readonly name = 'UnansweredPaymentError';
  readonly payment: SignedPayment;
  /** The last answer, such as a response with the status 503; undefined if the last attempt had none. */
  readonly answer: Answer | undefined;
  /** Sends the same payment again, and rejects like the call before. */
  readonly repeat: (options?: RepeatOptions) => Promise<Answer>;

  constructor(about: {
    payment: SignedPayment;
    answer: Answer | undefined;
    repeat(options?: RepeatOptions): Promise<Answer>;
    cause: unknown;
  }) {
    const message =
      'A signed payment got no final answer and may have been charged. repeat() of this error sends it again; another call would sign a second one.';
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.payment = about.payment;
    this.answer = about.answer;
    this.repeat = about.repeat;
  }
}

export type Sending<Answer> = {
  payment: SignedPayment;
  send(options: RepeatOptions): Promise<Answer>;
  read(answer: Answer): Promise<AnswerState>;
  /** Called for an answer that is not returned. */
  discard?(answer: Answer): void;
  /** The time after the first attempt without a final answer in which the payment is sent again. */
  repeatForMs: number;
  now(): number;
};

/** `retryAfterMs`: the time that the server asks to wait, if it does. */
export type AnswerState = { settled: SettleResponse | null; isFinal: boolean; retryAfterMs?: number | undefined };

export const REPEAT_FOR_MS = 60_000;
const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** An authorization that was submitted in time may have its outcome later. */
const AFTER_END_MS = 60_000;

/** Rejects with an UnansweredPaymentError if the time has passed or the call was aborted. */
export async function sendUntilAnswered<Answer>(
  sending: Sending<Answer>,
  { signal }: RepeatOptions = {},
): Promise<Answer> {
  const { payment, repeatForMs, now } = sending;
  let endsAt: number | undefined;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { answer, state, cause } = await sendOnce(sending, { signal });
    if (answer !== undefined && state?.isFinal) return answer;
    endsAt ??= performance.now() + repeatForMs;
    const waitMs = Math.max(state?.retryAfterMs ?? pauseMs, SHORTEST_PAUSE_MS);
    const hasTime =
      performance.now() + waitMs <= endsAt && now() + waitMs <= payment.validBefore * 1_000 + AFTER_END_MS;
    if (hasTime) await pause(waitMs, signal);
    if (!hasTime || signal?.aborted) {
      const repeat = (options?: RepeatOptions) => sendUntilAnswered(sending, options);
      throw new UnansweredPaymentError<Answer>({ payment, answer, repeat, cause: cause ?? signal?.reason });
    }
    if (answer !== undefined) sending.discard?.(answer);
  }
}

type Attempt<Answer> = { answer?: Answer; state?: AnswerState; cause?: unknown };

async function sendOnce<Answer>(sending: Sending<Answer>, options: RepeatOptions): Promise<Attempt<Answer>> {
  let answer: Answer;
  try {
    answer = await sending.send(options);
  } catch (cause) {
    return { cause };
  }
  const state = await sending.read(answer);
  // The amount stays counted if the store fails. A rejection would lose the response that was paid for.
  await sending.payment.confirm(state.settled).catch(() => undefined);
  return { answer, state };
}

/** Ends early if the call is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
