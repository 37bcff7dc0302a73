/** Paying on Solana. */
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { CardHead } from '../view/card-head.tsx';

export type SolanaCardProps = {
  session: SessionName;
  view: CheckoutViewFragment;
  /** The session's options on Solana; at least one. */
  options: readonly Option[];
  /** Milliseconds, by the gateway's clock. */
  now: number;
  /** Back to the wallets of other chains. */
  back: () => void;
  /** Something was handed in: the session is asked anew. */
  refetch: () => Promise<unknown>;
};

export function SolanaCard({ options }: SolanaCardProps) {
  return <CardHead title={options.map(({ symbol }) => symbol).join(', ')} />;
}
