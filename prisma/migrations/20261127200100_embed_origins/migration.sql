-- The origins of the pages that may show an app's checkout in a frame.
ALTER TABLE "app" ADD COLUMN "embed_origins" TEXT[] NOT NULL DEFAULT '{}';
