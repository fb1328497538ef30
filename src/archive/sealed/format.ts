/**
 * The sealed index: read-optimised tables in the file of a segment that rarely changes.
 *
 * Doc numbers count from 0, the newest post; 65,536 of them are a chunk. A posting list has one container per chunk: a sorted
 * list of 16-bit numbers below 4,096 posts, else a bitmap of 8 KiB (as in Roaring bitmaps). Containers are little endian, the
 * byte order of every supported platform, so that they are used in place.
 *
 * - `sealed`: one row in a sealed segment, none in another. `heads` is the first ID of every page of `sealed_ids`, `page_sums`
 *   the CRC-32 of each, `first` the first term of the dictionary.
 * - `sealed_ids`: 510 IDs per page, 64 bits each, newest first.
 * - `sealed_terms`: the dictionary, blocks of terms ascending by their UTF-8 bytes, each keyed by its first term. A term that
 *   is too long for a block has its own. An entry is:
 *   varint (bytes shared with the previous term of the block, 0 for the first), varint (bytes that follow, times two, plus one
 *   if the term has a single post), those bytes, varint (posts) if there are several; then
 *   - up to 64 posts: their doc numbers, ascending, as varints: the first itself, others as the distance to the previous one;
 *     then, if the term has positions, those of each post in the same order: varint (distance to the previous position, the
 *     first itself, times two, plus one if another follows);
 *   - more posts: varint (first row in `sealed_docs`), then for each chunk varint (posts in it).
 * - `sealed_docs`: containers. A term of up to 4,000 posts has one row, its first, with the containers of all chunks in which
 *   it has posts, each padded to four bytes. A larger term has one row for each such chunk: its first row plus the chunk's
 *   number.
 * - `sealed_positions`: the same row numbers, for terms with positions: one byte per post, its position, in the order of the
 *   containers. The byte is 255 if the post has several positions or one above 254; these are in an overflow table before the
 *   bytes: u32 m, u32 p, then ranks[m] (index of the byte), starts[m] (start in the list: 0 for the first, for each other the
 *   end of the previous one) and list[p], ascending within a post, the highest bit set in each post's last. Items of all three
 *   have 16 bits, or 32 if the highest bit of m is set; the table is padded to four bytes. A row without overflow has no table:
 *   it is as long as it has posts.
 * - `sealed_mask`: the deletion bitmap, one row per chunk. `replaced` posts were deleted or rewritten after sealing (FTS5 finds
 *   those that still exist); `hidden` posts must not be found. Both bitmaps have 8 KiB, even in a partial chunk, or both are
 *   empty.
 *
 * Every row but those of `sealed_ids` has a checksum in `sum` (`sums.ts`), which includes its key. Missing rows are detected,
 * too: the head has the number of ID pages and chunks, the checksum of a block includes the first term of the next one, and the
 * dictionary names the rows of postings. Format 1 has no checksums, and no row of `sealed_mask` for a chunk without deletions;
 * such an index stays readable, and is rebuilt.
 *
 * A varint is little endian, seven bits a byte, the highest bit set in all but the last; the reader accepts values below
 * 2 ** 35. Positions are below 2 ** 31. Padding is zeros, and no bitmap has a bit beyond the last post.
 */
export const sealedFormat = 2;
export const unsummedFormat = 1;
/** Marks a damaged index that is no longer maintained. */
export const spoiledFormat = 0;

export const postsOfChunk = 65_536;
/** Containers with at least this many posts are bitmaps. */
export const densePosts = 4_096;
export const wordsOfBitmap = postsOfChunk / 32;
export const bytesOfBitmap = postsOfChunk / 8;
/** Terms up to this many posts are stored in the dictionary. */
export const inlinePosts = 64;
/** Terms up to this many posts have one row, which fits into a page of the table. */
export const oneRowPosts = 4_000;
/** Two fit into a page of the table. */
export const idsOfPage = 510;
/** Maximum length of a block with its first term: four fit into a page of the table. */
export const bytesOfBlock = 2_014;

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
] as const;

export const bytesOfContainer = (posts: number): number =>
  posts >= densePosts ? bytesOfBitmap : ((posts + 1) >> 1) * 4;

export const chunksOf = (posts: number): number => Math.ceil(posts / postsOfChunk);

export const postsIn = (chunk: number, posts: number): number =>
  Math.min(postsOfChunk, posts - chunk * postsOfChunk);
