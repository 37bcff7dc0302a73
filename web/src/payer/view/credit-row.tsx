/** Money that the escrow could not send to the wallet, and that waits for it. */
import { useTranslation } from 'react-i18next';
import { zeroAddress } from 'viem';
import { claimCall } from '../../../../src/escrow/calldata.ts';
import { tokenOf } from '../../settings.ts';
import { Amount } from '../../ui/amounts/amount.tsx';
import type { HeldAllowance } from '../holdings/holding.ts';
import { CallButton } from './call-button.tsx';
import type { Acting } from './known-state.ts';
import styles from './payer.module.css';
import { tokenAmount } from './token-amount.ts';
import { escrowOf } from './use-holdings.ts';

export function CreditRow({ credit, acting }: { credit: HeldAllowance; acting: Acting }) {
  const { t } = useTranslation();
  const { chainId, tokenKey, amount } = credit;
  const token = tokenOf(tokenKey);
  const escrow = escrowOf(chainId);
  if (!token || !escrow) return null;
  const address = token.address === 'native' ? zeroAddress : (`0x${token.address.slice(2)}` as const);
  return (
    <article className={styles.row} aria-label={t('payer.credits.of', { name: token.symbol })}>
      <Amount token={tokenAmount(chainId, token.address, amount)} />
      <CallButton
        look="primary"
        chainId={chainId}
        call={claimCall({ escrow, token: address, to: acting.wallet })}
        acting={acting}
      >
        {t('payer.credits.claim')}
      </CallButton>
    </article>
  );
}
