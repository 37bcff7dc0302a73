/** The amount of a token that the wallet allows the escrow to transfer, and a button to revoke the allowance. */
import { useTranslation } from 'react-i18next';
import { encodeFunctionData, erc20Abi } from 'viem';
import { tokenOf } from '../../settings.ts';
import { Amount } from '../../ui/amounts/amount.tsx';
import type { HeldAllowance } from '../holdings/holding.ts';
import { CallButton } from './call-button.tsx';
import type { Acting } from './known-state.ts';
import styles from './payer.module.css';
import { tokenAmount } from './token-amount.ts';
import { escrowOf } from './use-holdings.ts';

/** Allowances from this value on are shown as unlimited, because the figure has no meaning. */
const UNLIMITED = 1n << 160n;

export function AllowanceRow({ allowance, acting }: { allowance: HeldAllowance; acting: Acting }) {
  const { t } = useTranslation();
  const { chainId, tokenKey, amount } = allowance;
  const token = tokenOf(tokenKey);
  const escrow = escrowOf(chainId);
  if (!token || !escrow) return null;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [escrow, 0n] });
  return (
    <article className={styles.row} aria-label={t('payer.allowance.of', { name: token.symbol })}>
      {amount >= UNLIMITED ? (
        <span>{t('payer.allowance.unlimited', { name: token.symbol })}</span>
      ) : (
        <Amount token={tokenAmount(chainId, token.address, amount)} />
      )}
      <CallButton chainId={chainId} call={{ to: `0x${token.address.slice(2)}`, data, value: 0n }} acting={acting}>
        {t('payer.allowance.clear')}
      </CallButton>
    </article>
  );
}
