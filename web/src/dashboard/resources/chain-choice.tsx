/** A choice of the accepted chains and tokens, from those that the app's mode allows. */
import { useTranslation } from 'react-i18next';
import { settings } from '../../settings.ts';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import styles from './resources.module.css';
import { isChosen, offeredChains, type Selection, toggleChain, toggleToken } from './selections.ts';

type ChainChoiceProps = {
  value: Selection;
  onChange: (value: Selection) => void;
  /** For recurring charges, which work with EVM wallets only and never with a native coin. */
  isRecurring?: boolean;
  error?: string | undefined;
};

export function ChainChoice({ value, onChange, isRecurring, error }: ChainChoiceProps) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const chains = offeredChains(settings.chains, app.mode)
    .filter((chain) => !isRecurring || chain.family === 'EVM')
    .map((chain) => ({ ...chain, tokens: chain.tokens.filter((token) => !isRecurring || token.address !== 'native') }));
  const chosen = chains.filter((chain) => isChosen(value.chains, chain.chainId));
  const tokens = chosen.flatMap((chain) => chain.tokens);
  const chainName = (key: string) => chains.find(({ tokens: own }) => own.some((token) => token.key === key))?.name;
  const keys = tokens.map((token) => token.key);
  return (
    <div className={styles.choices}>
      <fieldset className={styles.choiceSet} data-invalid={error ? true : undefined} tabIndex={error ? -1 : undefined}>
        <legend>{t('catalog.choice.chains')}</legend>
        {chains.map((chain) => (
          <Checkbox
            key={chain.chainId}
            label={chain.name}
            isChecked={isChosen(value.chains, chain.chainId)}
            onChange={() => onChange(toggleChain(value, chain.chainId, chains))}
          />
        ))}
      </fieldset>
      <fieldset className={styles.choiceSet}>
        <legend>{t('catalog.choice.tokens')}</legend>
        {tokens.map((token) => (
          <Checkbox
            key={token.key}
            label={
              chains.length > 1
                ? t('everywhere.tokenOn', { symbol: token.symbol, chain: chainName(token.key) })
                : token.symbol
            }
            isChecked={isChosen(value.tokens, token.key)}
            onChange={() => onChange(toggleToken(value, token.key, keys))}
          />
        ))}
      </fieldset>
      <p className={error ? styles.choiceFault : styles.hint} role={error ? 'alert' : undefined}>
        {error ?? t('catalog.choice.hint')}
      </p>
    </div>
  );
}
