export function seriesLines(): readonly string[] {
  return [...harbourReports(), ...ferryReports(), ...nightReports(), ...tramReports()];
}

const winds = ["north", "north-west", "west", "south-west", "south", "east"];

function harbourReports(): string[] {
  return Array.from({ length: 48 }, (_, index) => {
    const hours = index * 3 + 1;
    const wind = winds[(index * 5) % winds.length];
    const knots = 6 + ((index * 7) % 23);
    const metres = (0.4 + ((index * 3) % 17) / 10).toFixed(1);
    const boats = (index * 11) % 19;
    const text = `Wind ${knots} knots from the ${wind}, waves ${metres} m, ${boats} boats in the harbour.`;
    return `${hours * 60 + 7}m harbour en likes=${index % 4} at=harbour | ${text} #portlumen`;
  });
}

const ferryTexts: readonly (readonly [lang: string, text: string])[] = [
  ["en", "All ferries to Skerry Island run on time today."],
  ["de", "Alle Fähren nach Skerry fahren heute pünktlich."],
  ["fr", "Tous les bacs pour Skerry sont à l'heure aujourd'hui."],
  ["es", "Todos los ferris a Skerry salen puntuales hoy."],
  ["en", "Ten minutes late: the captain waits for a school class."],
  ["ja", "スケリー島行きのフェリーは本日も定刻どおり運航しています。"],
  ["ru", "Все паромы на остров Скерри сегодня идут по расписанию."],
];

function ferryReports(): string[] {
  return Array.from({ length: 28 }, (_, index) => {
    const [lang, text] = ferryTexts[index % ferryTexts.length] ?? ["en", ""];
    return `${index * 12 * 60 + 95}m ferries ${lang} likes=${index % 6} reposts=${index % 3} | ${text}`;
  });
}

function nightReports(): string[] {
  return Array.from({ length: 16 }, (_, index) => {
    const level = 1 + ((index * 4) % 6);
    const cloud = (index * 30) % 100;
    const text = `Night report: level ${level} of 9, cloud cover ${cloud} %. #spaceweather`;
    return `${index * 24 * 60 + 400}m halden en likes=${3 + index * 2} reposts=${index % 5} | ${text}`;
  });
}

const tramTexts: readonly (readonly [lang: string, text: string])[] = [
  ["en", "Line 1 and line 3 every ten minutes, line 2 every twenty."],
  ["sv", "Linje 2 kör via torget i dag."],
  ["en", "A fox sits on the rails at Lighthouse. We wait. It does not."],
  ["pl", "Linia 3 kursuje dziś do północy."],
  ["it", "Il tram numero 12 riposa: i gradini sono ghiacciati."],
  ["en", "Lost and found this week: four gloves, all left. Whose?"],
  ["tr", "Hat 1 bugün ücretsiz, festival kutlu olsun!"],
  ["hi", "आज रात ट्राम देर तक चलेगी, सुरक्षित घर पहुँचिए।"],
];

function tramReports(): string[] {
  return Array.from({ length: 24 }, (_, index) => {
    const [lang, text] = tramTexts[index % tramTexts.length] ?? ["en", ""];
    return `${index * 8 * 60 + 230}m trams ${lang} likes=${index % 5} | ${text}`;
  });
}
