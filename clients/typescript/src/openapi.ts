// Generated from openapi.json by npm run types.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Attestation: {
            id: string;
            node_id: string;
            key_id: string;
            name: string;
            statement: {
                /** @constant */
                version: 1;
                /** @enum {string} */
                evidence: "tdx" | "simulated" | "none";
                audience: string;
                nonce: string;
                identity_key: string;
                signing_key: string;
                sealing_key: string;
                boot_id: string;
                gateway_key: string;
            };
            /** @description Ed25519 signature of the statement by the identity key, base64url. */
            identity_signature: string;
            evidence: {
                /** @description In hexadecimal digits. */
                quote: string | null;
                event_log: string | null;
                vm_config: string | null;
            };
            /** @description The verification collateral: certificates, revocation lists, TCB levels. */
            collateral: {
                pck_crl_issuer_chain: string;
                root_ca_crl: string;
                pck_crl: string;
                tcb_info_issuer_chain: string;
                tcb_info: string;
                tcb_info_signature: string;
                qe_identity_issuer_chain: string;
                qe_identity: string;
                qe_identity_signature: string;
            } | null;
            policy_id: string;
        };
        AttestationPolicy: {
            /** @description Identifies the policy; attestations refer to it. */
            id: string;
            /** @description Intended recipient of evidence. */
            audience: string;
            /** @description Ed25519, base64url. Nodes refuse jobs that are not signed with it. */
            gateway_key: string;
            /** @description Accepted kinds of evidence. */
            evidence: ("tdx" | "simulated" | "none")[];
            /** @description The policy file: accepted images, compose files, machines and their states. Null without one. */
            quotes: {
                [key: string]: unknown;
            } | null;
        };
        CancelledJob: {
            /** Format: uuid */
            uuid: string;
            /** @constant */
            status: "cancelled";
            /** @constant */
            error: "";
        };
        Citation: {
            id: string;
            url: string | null;
            /** @description The author's handle. */
            author: string | null;
            created_at: string | null;
        };
        CollectionCoverage: {
            /** @enum {string} */
            platform: "bluesky" | "mastodon" | "x";
            /**
             * @description posts: within the window. The others are present if the query depends on them, from the first post for which they matter until the time of the search.
             * @enum {string}
             */
            collection: "posts" | "likes" | "reposts" | "labels";
            complete: boolean;
            /** @description Times that are covered completely, oldest first. */
            held: components["schemas"]["TimeSpan"][];
            /** @description Times that are not, oldest first; up to 100. */
            gaps: components["schemas"]["TimeSpan"][];
            /** @description Whether the oldest gaps are merged into one, although parts between them are covered. */
            truncated: boolean;
        };
        /** @description Which part of a window is completely covered. */
        Coverage: {
            from: string | null;
            /** Format: date-time */
            to: string;
            complete: boolean;
            /** @description Of all platforms together, oldest first; up to 100. */
            gaps: components["schemas"]["TimeSpan"][];
            /** @description Whether the oldest gaps are merged into one, although parts between them are covered. */
            truncated: boolean;
            platforms: components["schemas"]["CollectionCoverage"][];
        };
        FlatSearch: {
            /**
             * @description The platforms to search.
             * @default social
             * @enum {string}
             */
            type: "social" | "social-credential" | "social-api" | "social-scraper" | "social-credential-scraper" | "social-api-scraper" | "bluesky" | "bluesky-credential" | "bluesky-api" | "bluesky-scraper" | "bluesky-credential-scraper" | "bluesky-api-scraper" | "mastodon" | "mastodon-credential" | "mastodon-api" | "mastodon-scraper" | "mastodon-credential-scraper" | "mastodon-api-scraper" | "x" | "x-credential" | "x-api" | "x-scraper" | "x-credential-scraper" | "x-api-scraper" | "twitter" | "twitter-credential" | "twitter-api" | "twitter-scraper" | "twitter-credential-scraper" | "twitter-api-scraper";
            query: string;
            /** @description Maximum records: 1 to 100, searchbyfullarchive 1 to 500; default: 20. */
            max_results?: number;
            /** @description The X-Next-Cursor of an earlier result of the same search. */
            next_cursor?: string | ("" | 0 | null);
            /** @description Only posts from this time on. Search methods only. */
            start_time?: (string) | ("" | 0 | null);
            /** @description Only posts before this time. Search methods only. */
            end_time?: (string) | ("" | 0 | null);
            /**
             * @description The order of the result. Search methods only.
             * @enum {string}
             */
            sort?: "newest";
            /** @description Used if max_results is absent. */
            count?: number | ("" | 0 | null);
            /** @description Seconds to wait for the end of the job; 10 when absent. */
            wait?: number;
            /** @description Fields of the records to return; default: all. */
            fields?: ("ID" | "Content" | "Metadata" | "Metadata.platform" | "Metadata.url" | "Metadata.uri" | "Metadata.created_at" | "Metadata.username" | "Metadata.author" | "Metadata.author_verified" | "Metadata.user_id" | "Metadata.lang" | "Metadata.langs" | "Metadata.lang_detected" | "Metadata.conversation_id" | "Metadata.in_reply_to" | "Metadata.in_reply_to.id" | "Metadata.in_reply_to.uri" | "Metadata.in_reply_to.username" | "Metadata.in_reply_to.user_id" | "Metadata.quoted" | "Metadata.quoted.id" | "Metadata.quoted.uri" | "Metadata.quoted.username" | "Metadata.quoted.user_id" | "Metadata.reposted" | "Metadata.reposted.id" | "Metadata.reposted.uri" | "Metadata.reposted.username" | "Metadata.reposted.user_id" | "Metadata.is_reply" | "Metadata.is_quote" | "Metadata.is_retweet" | "Metadata.hashtags" | "Metadata.mentions" | "Metadata.urls" | "Metadata.media" | "Metadata.geo" | "Metadata.geo.lat" | "Metadata.geo.lon" | "Metadata.labels" | "Metadata.possibly_sensitive" | "Metadata.source" | "Metadata.public_metrics" | "Metadata.public_metrics.like_count" | "Metadata.public_metrics.retweet_count" | "Metadata.public_metrics.reply_count" | "Metadata.public_metrics.quote_count" | "Metadata.origin" | "Metadata.kind" | "Metadata.avatar_url" | "Metadata.banner_url" | "Metadata.location" | "Metadata.is_protected" | "Metadata.is_bot" | "Metadata.public_metrics.followers_count" | "Metadata.public_metrics.following_count" | "Metadata.public_metrics.tweet_count" | "Metadata.public_metrics.listed_count" | "Metadata.rank" | "Metadata.category" | "Metadata.state" | "Metadata.host_ids" | "Metadata.speaker_ids" | "Metadata.scheduled_at" | "Metadata.started_at" | "Metadata.ended_at" | "Metadata.public_metrics.participant_count" | "Score")[];
            /** @description Maximum total length of all texts, in characters. */
            max_chars?: number;
        };
        FlatSearchSubmission: {
            /**
             * @description The platforms to search.
             * @default social
             * @enum {string}
             */
            type: "social" | "social-credential" | "social-api" | "social-scraper" | "social-credential-scraper" | "social-api-scraper" | "bluesky" | "bluesky-credential" | "bluesky-api" | "bluesky-scraper" | "bluesky-credential-scraper" | "bluesky-api-scraper" | "mastodon" | "mastodon-credential" | "mastodon-api" | "mastodon-scraper" | "mastodon-credential-scraper" | "mastodon-api-scraper" | "x" | "x-credential" | "x-api" | "x-scraper" | "x-credential-scraper" | "x-api-scraper" | "twitter" | "twitter-credential" | "twitter-api" | "twitter-scraper" | "twitter-credential-scraper" | "twitter-api-scraper";
            query: string;
            /** @description Maximum records: 1 to 100, searchbyfullarchive 1 to 500; default: 20. */
            max_results?: number;
            /** @description The X-Next-Cursor of an earlier result of the same search. */
            next_cursor?: string | ("" | 0 | null);
            /** @description Only posts from this time on. Search methods only. */
            start_time?: (string) | ("" | 0 | null);
            /** @description Only posts before this time. Search methods only. */
            end_time?: (string) | ("" | 0 | null);
            /**
             * @description The order of the result. Search methods only.
             * @enum {string}
             */
            sort?: "newest";
            /** @description Used if max_results is absent. */
            count?: number | ("" | 0 | null);
        };
        /** @description Metadata of a post whose platform allows only its ID to be shown: the fields of a post, null or empty. */
        IdsMetadata: {
            /** @constant */
            kind: "ids";
            /** @enum {string} */
            platform: "bluesky" | "mastodon" | "x";
            url: string | null;
            uri: string;
            user_id: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Sent when a job ends. */
        JobEvent: {
            /** @enum {string} */
            type: "job.done" | "job.error" | "job.cancelled";
            /**
             * Format: date-time
             * @description When it happened.
             */
            timestamp: string;
            data: {
                /** Format: uuid */
                uuid: string;
                /** @enum {string} */
                status: "received" | "in progress" | "done" | "error" | "error(retrying)" | "cancelled" | "expired";
                /** @description Why the job failed; otherwise empty. */
                error: string;
                /** @enum {string} */
                platform: "social" | "bluesky" | "mastodon" | "x";
                /** @enum {string} */
                type: "social" | "social-credential" | "social-api";
                /** @enum {string} */
                method: "searchbyquery" | "searchbyfullarchive" | "searchbyprofile" | "getbyid" | "getreplies" | "getretweeters" | "gettweets" | "getmedia" | "gethometweets" | "getforyoutweets" | "getprofilebyid" | "gettrends" | "getfollowing" | "getfollowers" | "getspace";
                /** @description Number of records. */
                count: number | null;
                complete: boolean | null;
                /** Format: date-time */
                submitted_at: string;
                finished_at: string | null;
                /** @description When the result is deleted. */
                expires_at: string | null;
                attempts: number;
                /** @description Path of the result on this service; null without a result. */
                result_url: string | null;
            };
        };
        JobHandle: {
            /** Format: uuid */
            uuid: string;
            /** @constant */
            error: "";
        };
        JobList: {
            jobs: components["schemas"]["JobSummary"][];
            /** @description Continues on the next page; null on the last one. */
            next_cursor: string | null;
        };
        /**
         * @description done, error, cancelled and expired are final.
         * @enum {string}
         */
        JobState: "received" | "in progress" | "done" | "error" | "error(retrying)" | "cancelled" | "expired";
        JobStatus: {
            /** Format: uuid */
            uuid: string;
            status: components["schemas"]["JobState"];
            /** @description Why the job failed; otherwise empty. */
            error: string;
            /** @enum {string} */
            platform: "social" | "bluesky" | "mastodon" | "x";
            /** @enum {string} */
            type: "social" | "social-credential" | "social-api";
            /** @enum {string} */
            method: "searchbyquery" | "searchbyfullarchive" | "searchbyprofile" | "getbyid" | "getreplies" | "getretweeters" | "gettweets" | "getmedia" | "gethometweets" | "getforyoutweets" | "getprofilebyid" | "gettrends" | "getfollowing" | "getfollowers" | "getspace";
            query: string;
            /** @description The query as parsed. */
            canonical_query: string;
            sources: {
                platform: string;
                /**
                 * @description archive: from the archive. credential: with an account's credential. api: with an application's token. public: without authentication.
                 * @enum {string}
                 */
                via: "archive" | "credential" | "api" | "public";
                from: string | null;
                /** Format: date-time */
                to: string;
                count: number;
                cost?: components["schemas"]["SourceCost"];
            }[];
            /** @description The node that runs it or last ran it. */
            node: string | null;
            /** @description The evidence of the node that made the result; none for the embedded node; null without a result. */
            evidence: ("tdx" | "simulated" | "none") | null;
            /** @description Number of records; null until done. */
            count: number | null;
            complete: boolean | null;
            coverage: components["schemas"]["Coverage"] | null;
            warnings: {
                code: string;
                message: string;
                offset?: number;
                length?: number;
                hint?: string;
            }[];
            /** Format: date-time */
            submitted_at: string;
            started_at: string | null;
            finished_at: string | null;
            /** @description When the result is deleted. */
            expires_at: string | null;
            attempts: number;
            next_cursor: string | null;
        };
        /** @description A status without the coverage and sources of its result. */
        JobSummary: {
            /** Format: uuid */
            uuid: string;
            status: components["schemas"]["JobState"];
            /** @description Why the job failed; otherwise empty. */
            error: string;
            /** @enum {string} */
            platform: "social" | "bluesky" | "mastodon" | "x";
            /** @enum {string} */
            type: "social" | "social-credential" | "social-api";
            /** @enum {string} */
            method: "searchbyquery" | "searchbyfullarchive" | "searchbyprofile" | "getbyid" | "getreplies" | "getretweeters" | "gettweets" | "getmedia" | "gethometweets" | "getforyoutweets" | "getprofilebyid" | "gettrends" | "getfollowing" | "getfollowers" | "getspace";
            query: string;
            /** @description The query as parsed. */
            canonical_query: string;
            /** @description The node that runs it or last ran it. */
            node: string | null;
            /** @description The evidence of the node that made the result; none for the embedded node; null without a result. */
            evidence: ("tdx" | "simulated" | "none") | null;
            /** @description Number of records; null until done. */
            count: number | null;
            complete: boolean | null;
            warnings: {
                code: string;
                message: string;
                offset?: number;
                length?: number;
                hint?: string;
            }[];
            /** Format: date-time */
            submitted_at: string;
            started_at: string | null;
            finished_at: string | null;
            /** @description When the result is deleted. */
            expires_at: string | null;
            attempts: number;
            /** @description Id of the key or connected app that submitted it; null for the dashboard. */
            key: string | null;
            /** @description What platforms charged for the result; null if they have no price. */
            cost_usd: number | null;
        };
        /** @description Metadata of a post. */
        Metadata: {
            /** @enum {string} */
            platform: "bluesky" | "mastodon" | "x";
            url: string | null;
            uri: string;
            created_at: string;
            username: string;
            author: string | null;
            author_verified: boolean | null;
            user_id: string | null;
            lang: string | null;
            langs: string[];
            lang_detected: boolean;
            conversation_id: string | null;
            in_reply_to: ({
                id: string | null;
                uri: string | null;
                username?: string | null;
                user_id?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            quoted: ({
                id: string | null;
                uri: string | null;
                username?: string | null;
                user_id?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            reposted: ({
                id: string | null;
                uri: string | null;
                username?: string | null;
                user_id?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            is_reply: boolean;
            is_quote: boolean;
            is_retweet: boolean;
            hashtags: string[];
            mentions: unknown[];
            urls: string[];
            media: ({
                type: string;
                url: string | null;
                alt: string | null;
            } & {
                [key: string]: unknown;
            })[];
            geo: ({
                lat: number;
                lon: number;
            } & {
                [key: string]: unknown;
            }) | null;
            labels: string[];
            possibly_sensitive: boolean | null;
            source: string | null;
            public_metrics: {
                like_count: number | null;
                retweet_count: number | null;
                reply_count: number | null;
                quote_count: number | null;
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            origin: "stream" | "backfill" | "import" | "upstream";
        } & {
            [key: string]: unknown;
        };
        NewWebhook: {
            /** @description Where events are sent; https, on the public internet. */
            url: string;
            /** @description The events to send; default: all. */
            events?: ("job.done" | "job.error" | "job.cancelled")[];
        };
        Node: {
            /** @description As in the status of a job. */
            id: string;
            /** @description The name given by its operator. */
            name: string;
            /** @enum {string} */
            evidence: "tdx" | "simulated" | "none";
            /**
             * @description A draining or quarantined node gets no jobs.
             * @enum {string}
             */
            state: "approved" | "draining" | "quarantined";
            /** @description Whether it is attested and was recently in contact. */
            connected: boolean;
            /** @description Its capabilities: methods on a platform, and sources. */
            capabilities: {
                /** @enum {string} */
                platform: "bluesky" | "mastodon" | "x";
                /** @enum {string} */
                method: "searchbyquery" | "searchbyfullarchive" | "searchbyprofile" | "getbyid" | "getreplies" | "getretweeters" | "gettweets" | "getmedia" | "gethometweets" | "getforyoutweets" | "getprofilebyid" | "gettrends" | "getfollowing" | "getfollowers" | "getspace";
                ways: ("archive" | "credential" | "api" | "public")[];
            }[];
            /** @description Always null: nodes do not serve clients. */
            url: string | null;
            version: string;
            /** @description Identifies the keys of its run. */
            key_id: string | null;
            /** @description The attestation of these keys: GET /v1/attestations/:id. */
            attestation: string | null;
            attested_at: string | null;
        };
        NodeList: {
            /**
             * @description What the embedded node runs: its share, only jobs that no other node can run, or nothing. It has no evidence.
             * @enum {string}
             */
            embedded: "on" | "spare" | "off";
            /** @description Accepted kinds of evidence. */
            evidence: ("tdx" | "simulated" | "none")[];
            /** @description Admitted nodes in other processes. */
            nodes: components["schemas"]["Node"][];
        };
        PostCounts: {
            /** @description Every bucket of the page, oldest first, including empty ones. */
            data: {
                /** Format: date-time */
                start: string;
                /** Format: date-time */
                end: string;
                tweet_count: number;
            }[];
            meta: {
                /** @description Of this page. */
                total_tweet_count: number;
                /** @description Present if the window begins before this page. */
                next_token?: string;
            };
            /** @description Whether the whole page was counted and is covered completely. */
            complete: boolean;
            coverage: components["schemas"]["Coverage"];
            warnings: {
                code: string;
                message: string;
                offset?: number;
                length?: number;
                hint?: string;
            }[];
            /** @description The query as parsed. */
            canonical_query: string;
        };
        Problem: {
            /** @description A URI reference: /docs/errors/<code>. */
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
            retryable: boolean;
            request_id: string;
            hint?: string;
            errors?: {
                code: string;
                message: string;
                hint?: string;
                /** @description JSON pointer into the body. */
                pointer?: string;
                /** @description In code points of the query. */
                offset?: number;
                length?: number;
                expected?: string[];
            }[];
            /** @description In responses to submissions: empty if refused, the job's uuid if the job failed. */
            uuid?: string;
            error: string;
        };
        /** @description Metadata of an account. */
        ProfileMetadata: {
            /** @constant */
            kind: "profile";
            /** @enum {string} */
            platform: "bluesky" | "mastodon" | "x";
            url: string | null;
            created_at: string | null;
            username: string;
            /** @description The display name. */
            author: string | null;
            author_verified: boolean | null;
            user_id: string;
            avatar_url: string | null;
            banner_url: string | null;
            location: string | null;
            is_protected: boolean | null;
            is_bot: boolean | null;
            labels: string[];
            public_metrics: {
                followers_count: number | null;
                following_count: number | null;
                tweet_count: number | null;
                listed_count: number | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Proof: {
            /** @constant */
            version: 1;
            /** Format: uuid */
            job: string;
            /** @description The signed result, byte for byte. */
            body: string;
            /** @description The signature fields of the result. */
            fields: {
                "content-digest": string;
                "content-type": string;
                "earshot-job": string;
                "signature-input": string;
                signature: string;
            };
            /** @description Coverage, sources and continuation of the result, as JSON text. */
            knowledge: string;
            /** @description The node's request, as JSON text. */
            request: string;
            attestation: components["schemas"]["Attestation"];
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not ready" | "stopping";
            /** @enum {string} */
            archive: "answers" | "does not answer";
            /**
             * @description While the disk is full, submissions are refused with 503; reads work.
             * @enum {string}
             */
            storage: "has room" | "full";
            /** @description State of the live stream, in words. */
            ingest: string;
            /** @enum {string} */
            ingest_status: "off" | "waiting" | "connected" | "paused";
            ingest_lag_ms: number | null;
            /** @description State of each labeler's stream. */
            labels: string[];
            /** @description State of a Mastodon server's stream, in words. */
            mastodon: string;
            /** @enum {string} */
            mastodon_status: "off" | "waiting" | "connected" | "paused";
            /** @description Time of its last event; null before the first. */
            mastodon_last_event_at: string | null;
            /** @description State of the account lookup. */
            look_up: string;
            /** @description Connected nodes in other processes. */
            nodes: number;
            /** @description Those whose evidence proves nothing about their machine. */
            insecure_nodes: number;
        };
        RecentPosts: {
            data: components["schemas"]["Record"][];
            recordCount: number;
            /** @description The node that ran the search. */
            workerPeerId: string;
        };
        RecentSearch: {
            /** @description The query, with operators. */
            query: string;
            /** @description Maximum posts, 1 to 100; default: 20. */
            count?: number;
        };
        Record: {
            /** @description Post: decimal digits that sort by time. Account: its id. Trend: its rank. Space: its id. */
            ID: string;
            /** @description Post: its text. Account: its description. Trend: its name. Space: its title. As received. */
            Content: string;
            Metadata: (components["schemas"]["Metadata"] | components["schemas"]["IdsMetadata"] | components["schemas"]["ProfileMetadata"] | components["schemas"]["TrendMetadata"] | components["schemas"]["SpaceMetadata"]) | null;
            /** @description 1 when ordered by time. */
            Score: number;
        };
        SearchAnswer: {
            /** Format: uuid */
            uuid: string;
            /** @constant */
            status: "done";
            /** @description The records; posts of a search come newest first, others in the platform's order. If fields is set, they have only those. */
            results: ({
                ID?: string;
                Content?: string;
                Metadata?: {
                    [key: string]: unknown;
                } | null;
                Score?: number;
            } & {
                [key: string]: unknown;
            })[];
            next_cursor: string | null;
            complete: boolean;
            coverage: components["schemas"]["Coverage"];
            sources: {
                platform: string;
                /**
                 * @description archive: from the archive. credential: with an account's credential. api: with an application's token. public: without authentication.
                 * @enum {string}
                 */
                via: "archive" | "credential" | "api" | "public";
                from: string | null;
                /** Format: date-time */
                to: string;
                count: number;
                cost?: components["schemas"]["SourceCost"];
            }[];
            warnings: {
                code: string;
                message: string;
                offset?: number;
                length?: number;
                hint?: string;
            }[];
            /** @description The query as parsed. */
            canonical_query: string;
            /** @description One for each record, in their order. */
            citations: components["schemas"]["Citation"][];
            /** @description What max_chars shortened and omitted. */
            truncated: {
                /** @description IDs of posts whose text is shortened. */
                shortened: string[];
                /** @description Omitted records; next_cursor continues with them, unless the warning left_out says otherwise. */
                omitted: number;
            };
        };
        SearchArguments: {
            /**
             * @description The method.
             * @default searchbyquery
             * @enum {string}
             */
            type: "searchbyquery" | "searchbyfullarchive" | "searchbyprofile" | "getbyid" | "getreplies" | "getretweeters" | "gettweets" | "getmedia" | "gethometweets" | "getforyoutweets" | "getprofilebyid" | "gettrends" | "getfollowing" | "getfollowers" | "getspace";
            /** @description Search methods: words and operators. Other methods: an account, post or space, by handle, id, uri or URL. */
            query?: string;
            /** @description Maximum records: 1 to 100, searchbyfullarchive 1 to 500; default: 20. */
            max_results?: number;
            /** @description The X-Next-Cursor of an earlier result of the same search. */
            next_cursor?: string | ("" | 0 | null);
            /** @description Only posts from this time on. Search methods only. */
            start_time?: (string) | ("" | 0 | null);
            /** @description Only posts before this time. Search methods only. */
            end_time?: (string) | ("" | 0 | null);
            /**
             * @description The order of the result. Search methods only.
             * @enum {string}
             */
            sort?: "newest";
            /** @description Used if max_results is absent. */
            count?: number | ("" | 0 | null);
        };
        Search: {
            /**
             * @description The platforms to search.
             * @enum {string}
             */
            type: "social" | "social-credential" | "social-api" | "social-scraper" | "social-credential-scraper" | "social-api-scraper" | "bluesky" | "bluesky-credential" | "bluesky-api" | "bluesky-scraper" | "bluesky-credential-scraper" | "bluesky-api-scraper" | "mastodon" | "mastodon-credential" | "mastodon-api" | "mastodon-scraper" | "mastodon-credential-scraper" | "mastodon-api-scraper" | "x" | "x-credential" | "x-api" | "x-scraper" | "x-credential-scraper" | "x-api-scraper" | "twitter" | "twitter-credential" | "twitter-api" | "twitter-scraper" | "twitter-credential-scraper" | "twitter-api-scraper";
            arguments: components["schemas"]["SearchArguments"];
            /** @description Seconds to wait for the end of the job; 10 when absent. */
            wait?: number;
            /** @description Fields of the records to return; default: all. */
            fields?: ("ID" | "Content" | "Metadata" | "Metadata.platform" | "Metadata.url" | "Metadata.uri" | "Metadata.created_at" | "Metadata.username" | "Metadata.author" | "Metadata.author_verified" | "Metadata.user_id" | "Metadata.lang" | "Metadata.langs" | "Metadata.lang_detected" | "Metadata.conversation_id" | "Metadata.in_reply_to" | "Metadata.in_reply_to.id" | "Metadata.in_reply_to.uri" | "Metadata.in_reply_to.username" | "Metadata.in_reply_to.user_id" | "Metadata.quoted" | "Metadata.quoted.id" | "Metadata.quoted.uri" | "Metadata.quoted.username" | "Metadata.quoted.user_id" | "Metadata.reposted" | "Metadata.reposted.id" | "Metadata.reposted.uri" | "Metadata.reposted.username" | "Metadata.reposted.user_id" | "Metadata.is_reply" | "Metadata.is_quote" | "Metadata.is_retweet" | "Metadata.hashtags" | "Metadata.mentions" | "Metadata.urls" | "Metadata.media" | "Metadata.geo" | "Metadata.geo.lat" | "Metadata.geo.lon" | "Metadata.labels" | "Metadata.possibly_sensitive" | "Metadata.source" | "Metadata.public_metrics" | "Metadata.public_metrics.like_count" | "Metadata.public_metrics.retweet_count" | "Metadata.public_metrics.reply_count" | "Metadata.public_metrics.quote_count" | "Metadata.origin" | "Metadata.kind" | "Metadata.avatar_url" | "Metadata.banner_url" | "Metadata.location" | "Metadata.is_protected" | "Metadata.is_bot" | "Metadata.public_metrics.followers_count" | "Metadata.public_metrics.following_count" | "Metadata.public_metrics.tweet_count" | "Metadata.public_metrics.listed_count" | "Metadata.rank" | "Metadata.category" | "Metadata.state" | "Metadata.host_ids" | "Metadata.speaker_ids" | "Metadata.scheduled_at" | "Metadata.started_at" | "Metadata.ended_at" | "Metadata.public_metrics.participant_count" | "Score")[];
            /** @description Maximum total length of all texts, in characters. */
            max_chars?: number;
        };
        SearchSubmission: {
            /**
             * @description The platforms to search.
             * @enum {string}
             */
            type: "social" | "social-credential" | "social-api" | "social-scraper" | "social-credential-scraper" | "social-api-scraper" | "bluesky" | "bluesky-credential" | "bluesky-api" | "bluesky-scraper" | "bluesky-credential-scraper" | "bluesky-api-scraper" | "mastodon" | "mastodon-credential" | "mastodon-api" | "mastodon-scraper" | "mastodon-credential-scraper" | "mastodon-api-scraper" | "x" | "x-credential" | "x-api" | "x-scraper" | "x-credential-scraper" | "x-api-scraper" | "twitter" | "twitter-credential" | "twitter-api" | "twitter-scraper" | "twitter-credential-scraper" | "twitter-api-scraper";
            arguments: components["schemas"]["SearchArguments"];
        };
        /** @description The last 7 days, as of `to`. */
        ServiceStatus: {
            /**
             * @description read only: the disk is full, and submissions are refused with 503.
             * @enum {string}
             */
            status: "ready" | "read only" | "not ready";
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            platforms: {
                /** @enum {string} */
                platform: "bluesky" | "mastodon" | "x";
                /**
                 * @description streamed: a live stream fills the archive. live: searched on the platform. archived: no stream adds to its posts. off: none of these.
                 * @enum {string}
                 */
                mode: "streamed" | "live" | "archived" | "off";
                /** @description Archived posts. */
                posts: number;
                stream: {
                    /** @enum {string} */
                    status: "off" | "waiting" | "connected" | "paused";
                    /** @description How far it is behind the present; null if unknown. */
                    lag_ms: number | null;
                } | null;
                coverage: {
                    /** @description Times that are covered completely, oldest first. */
                    held: {
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                    }[];
                    /** @description Times that are not, oldest first; up to 100. */
                    gaps: {
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                    }[];
                    /** @description Start of the latest time without a gap, which may be before `from`. */
                    complete_since: string | null;
                };
            }[];
        };
        /** @description Cost of the source; absent if it is free. */
        SourceCost: {
            post_reads: number;
            user_reads: number;
            requests: number;
            usd: number;
            /** @description Posts billed to the deployment's credentials in this month (UTC); null without a budget. */
            month: {
                name: string;
                post_reads: number;
                /** @description The budget, EARSHOT_X_MONTHLY_POST_READS. */
                most_post_reads: number;
            } | null;
        };
        /** @description Metadata of a live audio conversation. */
        SpaceMetadata: {
            /** @constant */
            kind: "space";
            /** @enum {string} */
            platform: "bluesky" | "mastodon" | "x";
            url: string | null;
            created_at: string | null;
            state: string | null;
            lang: string | null;
            host_ids: string[];
            speaker_ids: string[];
            scheduled_at: string | null;
            started_at: string | null;
            ended_at: string | null;
            public_metrics: {
                participant_count: number | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A server-sent event: a state change of a job. */
        StreamedJobChange: {
            /** @description Absent from the first event of a single job. */
            id?: string;
            /** @constant */
            event: "job";
            /** @description A JSON object with uuid, status, attempts and at. */
            data: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A test event. */
        TestEvent: {
            /** @constant */
            type: "webhook.test";
            /** Format: date-time */
            timestamp: string;
            data: {
                webhook_id: string;
            };
        };
        TimeSpan: {
            /** @description Inclusive; null if unbounded. */
            from: string | null;
            /**
             * Format: date-time
             * @description Exclusive.
             */
            to: string;
        };
        /** @description Metadata of a trend. */
        TrendMetadata: {
            /** @constant */
            kind: "trend";
            /** @enum {string} */
            platform: "bluesky" | "mastodon" | "x";
            url: string | null;
            created_at: string | null;
            rank: number;
            category: string | null;
            public_metrics: {
                tweet_count: number | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        UnfinishedJob: {
            /** Format: uuid */
            uuid: string;
            status: components["schemas"]["JobState"];
            /** @constant */
            error: "";
        };
        Webhook: {
            id: string;
            url: string;
            events: ("job.done" | "job.error" | "job.cancelled")[];
            /** @enum {string} */
            status: "enabled" | "disabled";
            /** Format: date-time */
            created_at: string;
            /** @description The first failure after the last success; null if the last delivery succeeded. */
            failing_since: string | null;
            disabled_at: string | null;
            disabled_reason: string | null;
            /** @description Events are also signed with the former secret until this time. */
            former_secret_until: string | null;
            /** @description Deliveries dropped because there were too many or they were too old. */
            dropped: number;
        };
        WebhookDelivery: {
            /** @description The webhook-id header of every attempt. */
            id: string;
            /** @enum {string} */
            event: "job.done" | "job.error" | "job.cancelled" | "webhook.test";
            /** @enum {string} */
            state: "waiting" | "delivered" | "failed";
            attempts: number;
            /** Format: date-time */
            created_at: string;
            last_attempt_at: string | null;
            /** @description Null if no attempt follows. */
            next_attempt_at: string | null;
            delivered_at: string | null;
            /** @description HTTP status of the last response; null without one. */
            last_status: number | null;
            /** @description Why the last attempt failed. */
            last_error: string | null;
            /** @description The request body. */
            payload: components["schemas"]["JobEvent"] | components["schemas"]["TestEvent"];
        };
        WebhookDeliveryList: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            next_cursor: string | null;
        };
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        WebhookWithSecret: {
            id: string;
            url: string;
            events: ("job.done" | "job.error" | "job.cancelled")[];
            /** @enum {string} */
            status: "enabled" | "disabled";
            /** Format: date-time */
            created_at: string;
            /** @description The first failure after the last success; null if the last delivery succeeded. */
            failing_since: string | null;
            disabled_at: string | null;
            disabled_reason: string | null;
            /** @description Events are also signed with the former secret until this time. */
            former_secret_until: string | null;
            /** @description Deliveries dropped because there were too many or they were too old. */
            dropped: number;
            /** @description Signs the events. Shown only once. */
            secret: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Identifies the request in the log; quote it in problem reports. */
        "X-Request-Id": string;
        /** @description The key's limits: q requests in w seconds. */
        "RateLimit-Policy": string;
        /** @description What remains of each limit (r), and the seconds until more is available (t). */
        RateLimit: string;
        /** @description Seconds to wait before the next request. */
        "Retry-After": string;
        /** @description The path of the created resource or of the page. */
        Location: string;
        /** @description Present if there are more records: the next_cursor of the next page. */
        "X-Next-Cursor": string;
        /** @description Whether the window is completely covered, as a structured field dictionary (RFC 9651). */
        "X-Coverage": string;
        /** @description Present if the request waited as its Prefer header requested. */
        "Preference-Applied": string;
        /** @description Present if the response is that of an earlier request with the same Idempotency-Key. */
        "Idempotent-Replayed": "true";
        /** @description The warning codes, as a structured field list (RFC 9651). */
        "X-Warnings": string;
        /** @description Present if max_chars had an effect: the numbers of shortened and omitted posts, as a structured field dictionary (RFC 9651). */
        "X-Truncated": string;
        /** @description The job of the search. */
        "X-Job-Uuid": string;
        /** @description The node that produced the result, and its evidence, as a structured field item (RFC 9651). */
        "X-Node": string;
        /** @description Present if a node signed the result and records have since been withdrawn, with their number, as a structured field item (RFC 9651). */
        "X-Unsigned": string;
        /** @description Of a signed result: the digest of the body (RFC 9530). */
        "Content-Digest": string;
        /** @description Of a signed result: the job, digests of the request and of coverage and sources, and the node's attestation, as a structured field dictionary (RFC 9651). */
        "Earshot-Job": string;
        /** @description Of a signed result: the covered components (RFC 9421). */
        "Signature-Input": string;
        /** @description Of a signed result: the node's signature (RFC 9421). */
        Signature: string;
        /** @description Of a signed result: links to the node's attestation and to the proof. */
        Link: string;
        /** @description The authentication scheme, with an error if an invalid key was sent. */
        "WWW-Authenticate": string;
        /** @description Identifies this version of the page; send it as If-None-Match. */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
