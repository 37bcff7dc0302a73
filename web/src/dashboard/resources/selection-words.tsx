/** The selected chains or tokens as text. */
import { useTranslation } from 'react-i18next';
import { chainOf } from '../../settings.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import type { Selection } from './selections.ts';
import { useTokenWords } from './use-token-words.ts';

export function ChainWords({ chosen }: { chosen: Selection['chains'] }) {
  const { t } = useTranslation();
  const { list } = useFormats();
  if (chosen === 'ALL') return t('catalog.choice.allChains');
  return list(chosen.map((chainId) => chainOf(chainId)?.name ?? String(chainId)));
}

export function TokenWords({ chosen }: { chosen: Selection['tokens'] }) {
  const { t } = useTranslation();
  const { list } = useFormats();
  const tokenWords = useTokenWords();
  if (chosen === 'ALL') return t('catalog.choice.allTokens');
  return list(chosen.map(tokenWords));
}
