/** The name of a token with its chain, such as "USDC on Base", for places that show tokens of several chains. */
import { useTranslation } from 'react-i18next';
import { settings } from '../../settings.ts';

/** A token that the installation no longer has is shown by its key. */
export function useTokenWords(): (key: string) => string {
  const { t } = useTranslation();
  return (key) => {
    for (const chain of settings.chains) {
      const token = chain.tokens.find((one) => one.key === key);
      if (token) return t('everywhere.tokenOn', { symbol: token.symbol, chain: chain.name });
    }
    return key;
  };
}
