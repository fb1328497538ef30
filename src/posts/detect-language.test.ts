import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startCpuTime } from "../../testkit/cpu-time.ts";
import { detectLanguage } from "./detect-language.ts";

describe("the language of a text", () => {
  test.each([
    ["en", "The weather is lovely today, we are going to the park"],
    ["de", "Heute ist das Wetter schön und wir gehen in den Park"],
    ["es", "Hoy hace muy buen tiempo y nos vamos al parque con los niños"],
    ["fr", "Il fait très beau aujourd'hui, nous allons au parc avec les enfants"],
    ["pt", "Hoje o tempo está ótimo e vamos ao parque com as crianças"],
    ["it", "Oggi il tempo è bello e andiamo al parco con i bambini"],
    ["nl", "Het is vandaag mooi weer en we gaan naar het park"],
    ["tr", "Bugün hava çok güzel ve çocuklarla parka gidiyoruz"],
    ["vi", "Hôm nay thời tiết đẹp và chúng tôi đi công viên"],
    ["ru", "Сегодня прекрасная погода, и мы идём гулять в парк"],
    ["uk", "Сьогодні чудова погода, і ми йдемо гуляти до парку"],
    ["ar", "الطقس جميل اليوم وسنذهب إلى الحديقة مع الأطفال"],
    ["fa", "امروز هوا خیلی خوب است و ما با بچه‌ها به پارک می‌رویم"],
    ["he", "מזג האוויר יפה היום ואנחנו הולכים לפארק"],
    ["el", "Σήμερα ο καιρός είναι ωραίος"],
    ["th", "วันนี้อากาศดีมาก เราไปสวนสาธารณะกัน"],
    ["ja", "今日は天気がいいので公園に行きます"],
    ["zh", "今天天气很好，我们去公园玩"],
    ["ko", "오늘은 날씨가 좋아서 공원에 가요"],
    ["km", "ថ្ងៃនេះអាកាសធាតុល្អ"],
    ["my", "ဒီနေ့ ရာသီဥတု ကောင်းတယ်"],
    ["ta", "இன்று வானிலை நன்றாக உள்ளது"],
  ])("the language %s is detected", (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  test.each([
    [
      "links, mentions and a leading RT are ignored",
      "de",
      "RT @the_weather_channel_of_england: Heute ist das Wetter schön https://example.com/what-a-lovely-day-it-is @and_we_are_all_happy_with_it",
    ],
    [
      "the words of hashtags are included",
      "de",
      "#Wetterbericht #Sonnenschein #Donnerstag für heute",
    ],
    [
      "HTML entities are decoded",
      "fr",
      "C&#39;est l&#39;été &amp; j&#39;aime beaucoup &quot;ça&quot;",
    ],
    ["a name in other letters", "th", "ไปกิน KFC กันเถอะวันนี้ อร่อยมาก"],
    ["a kaomoji", "en", "I really do not know what happened here ¯\\_(ツ)_/¯"],
    ["a decorative kana", "zh", "鲜の美每日优鲜水果专卖店欢迎"],
  ])("the language of a text is detected: %s", (_, language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });
});

describe("no language is guessed if it is uncertain", () => {
  test.each([
    ["nothing", ""],
    ["only links and mentions", "@nasa https://example.com/this-is-english"],
    ["emoji and digits", "😂😂😂 100 2024!!!"],
    ["a few letters", "ok lol"],
    ["names", "Coca Cola Madonna"],
    ["the words of several languages", "Red Carpet Arena di Verona"],
    [
      "Indonesian and Malay, which are not distinguished",
      "Saya tidak tahu apa yang harus saya lakukan hari ini",
    ],
    ["a lone surrogate", "\ud800\udc00\ud800 \udfff"],
  ])("no language is guessed if it is uncertain: %s", (_, text) => {
    expect(detectLanguage(text)).toBeNull();
  });
});

test("the detected language of any string is a two-letter code or null, and the same each time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const language = detectLanguage(text);
      if (language !== null) expect(language).toMatch(/^[a-z]{2}$/);
      expect(detectLanguage(text)).toBe(language);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["letters", "a".repeat(1_000_000)],
  ["mentions", "@a ".repeat(300_000)],
  ["dots", "a.".repeat(500_000)],
  ["marks", "\u0301".repeat(1_000_000)],
  ["ampersands", "&amp".repeat(250_000)],
])("language detection is fast for about a million characters of %s", (_, text) => {
  const cpuMs = startCpuTime();
  detectLanguage(text);
  expect(cpuMs()).toBeLessThan(500);
});
