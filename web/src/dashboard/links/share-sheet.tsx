/** How a payment link is shared: its address, a code to scan, and a line for a website. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { linkSnippet, type QrCode, qrCode, qrPath, qrSvg } from './qr-code.ts';
import styles from './share-sheet.module.css';

/** Of a square in the picture that is saved. */
const PNG_SQUARE = 16;

type ShareSheetProps = { name: string; slug: string; url: string; onClose: () => void };

export function ShareSheet({ name, slug, url, onClose }: ShareSheetProps) {
  const { t } = useTranslation();
  const code = useMemo(() => qrCode(url), [url]);
  const snippet = linkSnippet(name, url);
  return (
    <Dialog isOpen onClose={onClose} title={t('links.shareTitle', { name })} about={t('links.shareAbout')}>
      <div className={styles.code}>
        <svg
          viewBox={`0 0 ${code.size} ${code.size}`}
          shapeRendering="crispEdges"
          role="img"
          aria-label={t('links.qrOf', { url })}
        >
          <path d={qrPath(code)} data-qr="" />
        </svg>
      </div>
      <div className={styles.saves}>
        <Button size="small" onPress={() => save(new Blob([qrSvg(code)], { type: 'image/svg+xml' }), `${slug}.svg`)}>
          {t('links.saveSvg')}
        </Button>
        <Button size="small" onPress={() => savePng(code, `${slug}.png`)}>
          {t('links.savePng')}
        </Button>
        <ButtonLink size="small" icon="external" href={url} target="_blank" rel="noreferrer noopener">
          {t('links.preview')}
        </ButtonLink>
      </div>
      <Line name={t('links.url')} text={url} />
      <Line name={t('links.snippet')} text={snippet} />
    </Dialog>
  );
}

function Line({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <p className={styles.name}>{name}</p>
      <div className={styles.line}>
        <code>{text}</code>
        <CopyButton text={text} name={name} hasWords />
      </div>
    </div>
  );
}

async function savePng(code: QrCode, name: string): Promise<void> {
  const canvas = document.createElement('canvas');
  canvas.width = code.size * PNG_SQUARE;
  canvas.height = canvas.width;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#000';
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (code.isDark(x, y)) context.fillRect(x * PNG_SQUARE, y * PNG_SQUARE, PNG_SQUARE, PNG_SQUARE);
    }
  }
  const blob = await new Promise<Blob | null>((done) => {
    canvas.toBlob(done, 'image/png');
  });
  if (blob) save(blob, name);
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
