/** An address or a transaction hash in short form, with the full value on hover and when copied, and a link to the chain's explorer. */
import { useTranslation } from 'react-i18next';
import { chainOf } from '../../settings.ts';
import { buttonClass } from '../button/button.tsx';
import { CopyButton } from '../button/copy-button.tsx';
import { classNames } from '../class-names.ts';
import { explorerLink, type OnChain, shortAddress } from '../formats/address.ts';
import { Icon } from '../icon.tsx';
import styles from './addresses.module.css';
import { Identicon } from './identicon.tsx';

type AddressProps = {
  value: string;
  /** The chain for the link to the explorer. Without it, there is no link. */
  chainId?: number | null | undefined;
  kind?: OnChain;
  /** Shows the full value, for comparison character by character. */
  isFull?: boolean;
  /** Omits the buttons, for rows that are links as a whole. */
  isBare?: boolean;
};

export function Address({ value, chainId, kind = 'address', isFull, isBare }: AddressProps) {
  const { t } = useTranslation();
  const chain = chainId == null ? undefined : chainOf(chainId);
  const link = chain && explorerLink(chain, kind, value);
  return (
    <span className={styles.address}>
      {kind === 'address' && <Identicon value={value} />}
      <span className={classNames(styles.value, isFull && styles.full)} title={value}>
        {isFull ? value : shortAddress(value)}
      </span>
      {!isBare && <CopyButton text={value} name={t(`everywhere.${kind}`)} />}
      {!isBare && link && (
        <a
          href={link}
          target="_blank"
          rel="noreferrer noopener"
          className={buttonClass({ look: 'bare', size: 'small' })}
          aria-label={t('everywhere.inExplorer', { name: t(`everywhere.${kind}`) })}
          title={t('everywhere.inExplorer', { name: t(`everywhere.${kind}`) })}
        >
          <Icon name="external" />
        </a>
      )}
    </span>
  );
}
