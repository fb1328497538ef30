/**
 * The sealed index: read-optimised tables in the file of a segment that rarely changes.
 *
 * Doc number 0 is the newest post; a chunk is 65,536 posts. A posting list has one Roaring
 * container per chunk: a sorted list of 16-bit numbers for up to 4,095 posts, or a bitmap of 8 KiB.
 * Containers are little endian and used in place.
 *
 * - `sealed`: one row if sealed. `heads`: each page's first ID in `sealed_ids`; `page_sums`:
 *   each page's CRC-32; `first`: the dictionary's first term.
 * - `sealed_ids`: pages of 510 64-bit IDs, newest first.
 * - `sealed_terms`: the dictionary, in blocks of terms ascending by UTF-8 bytes, keyed by their
 *   first term. A term too long for a block has its own. An entry is varint (bytes shared with the
 *   block's previous term), varint (2 × bytes that follow, plus 1 for a single post), those bytes,
 *   varint (posts) if there are several, then:
 *   - for up to 64 posts: ascending doc numbers as varint deltas, then, for a term with positions,
 *     those in each post as varint (2 × delta, plus 1 if another follows);
 *   - for more posts: varint (first row in `sealed_docs`), then varint (posts) for each chunk.
 * - `sealed_docs`: containers, each padded to four bytes. A term in up to 4,000 posts has one row;
 *   any other has row (first row + chunk) for each chunk with posts.
 * - `sealed_positions`: under the same row numbers, one byte per post in container order: the term's
 *   position. 255 means several positions, or one above 254. Those are in an overflow table before
 *   the bytes: u32 m, u32 p, then ranks[m] (index of the byte), starts[m] (start in the list) and
 *   list[p], ascending within a post, with the highest bit set in a post's last item. Items have 16
 *   bits, or 32 if the highest bit of m is set. The table is padded to four bytes, and omitted if
 *   empty.
 * - `sealed_mask`: the deletion bitmap, one row per chunk. `replaced`: posts deleted or rewritten
 *   after sealing (FTS5 finds rewritten ones); `hidden`: posts that searches omit. Both are 8 KiB, or
 *   both empty.
 * - `sealed_filter`: at most one row, a Bloom filter of the terms (`term-filter.ts`).
 *
 * `sum` is a checksum (`checksums.ts`) of a row and its key. Missing rows are also detected: the
 * header row implies the numbers of ID pages and chunks, a block's checksum includes the next
 * block's first term, and the dictionary refers to posting rows. Format 1 has no checksums, and mask
 * rows only for chunks with deletions; it is readable, and is rebuilt.
 *
 * Varints are little endian, with seven bits per byte and the highest bit set in all but the last,
 * and below 2 ** 35. Positions are below 2 ** 31. Padding is zero. Bitmaps have no bits beyond the
 * last post.
 */
export const sealedFormat = 2;
export const formatWithoutChecksums = 1;
/** Marks a damaged index that is no longer maintained. */
export const abandonedFormat = 0;

export const postsPerChunk = 65_536;
export const minBitmapPosts = 4_096;
export const wordsPerBitmap = postsPerChunk / 32;
export const bytesPerBitmap = postsPerChunk / 8;
export const maxInlinePosts = 64;
export const maxOneRowPosts = 4_000;
/** Two such pages fit into a page of the table. */
export const idsPerPage = 510;
/** Four blocks with their first terms fit into a page of the table. */
export const dictionaryBlockBytes = 2_014;

export const sealedMigrations = [
  `
  CREATE TABLE sealed(format INTEGER NOT NULL, posts INTEGER NOT NULL, sealed_ms INTEGER NOT NULL, heads BLOB NOT NULL);
  CREATE TABLE sealed_ids(page INTEGER PRIMARY KEY, ids BLOB NOT NULL);
  CREATE TABLE sealed_terms(first TEXT PRIMARY KEY, block BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE sealed_docs(row INTEGER PRIMARY KEY, docs BLOB NOT NULL);
  CREATE TABLE sealed_positions(row INTEGER PRIMARY KEY, positions BLOB NOT NULL);
  CREATE TABLE sealed_mask(chunk INTEGER PRIMARY KEY, replaced BLOB NOT NULL, hidden BLOB NOT NULL);
`,
  `
  ALTER TABLE sealed ADD COLUMN page_sums BLOB;
  ALTER TABLE sealed ADD COLUMN first BLOB;
  ALTER TABLE sealed ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_terms ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_docs ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_positions ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_mask ADD COLUMN sum INTEGER;
`,
  "CREATE TABLE sealed_filter(bits BLOB NOT NULL, sum INTEGER NOT NULL);",
] as const;

export const containerBytes = (posts: number): number =>
  posts >= minBitmapPosts ? bytesPerBitmap : ((posts + 1) >> 1) * 4;

export const chunkCount = (posts: number): number => Math.ceil(posts / postsPerChunk);

export const postsIn = (chunk: number, posts: number): number =>
  Math.min(postsPerChunk, posts - chunk * postsPerChunk);
